import { describe, expect, test } from 'vitest';
import { compilePattern } from './pattern.ts';
import { receivedPatternFault, receivedPatterns } from './received-pattern.ts';
import { matcherOf } from './regex-matcher.ts';

const free = (): void => {};

function stepsOf(pattern: string, text: string) {
  let steps = 0;
  const matched = matcherOf(pattern)(text, (more) => {
    steps += more;
  });
  return { matched, steps };
}

const patterns = [
  ...[
    '',
    'a',
    '^',
    '$',
    '^$',
    '^a$',
    'ab|b',
    '^(?:a|ab)$',
    '^a*$',
    'a+b',
    '^a?b?$',
    '^[a-c]+$',
    '^[^a]*$',
    '^(a|b)*c$',
  ],
  ...[
    '^\\d+$',
    '^\\D+$',
    '^\\w*$',
    '\\W',
    '^\\s',
    '\\S$',
    '^.$',
    '^.{2}$',
    '^.{2,}$',
    '^.{1,3}$',
    '^.*?b',
    '^(ab){2}$',
  ],
  ...[
    '^(?<x>a)b',
    '^(?:a?){3}$',
    '^(a*)*$',
    '^(a|a)*$',
    '(a+)+b',
    '\\bab\\b',
    '\\B',
    '^\\Ba',
    'a\\b',
    '(?:^|a)b',
    'a(?:$|b)',
  ],
  ...[
    '^[\\w-.]+$',
    '[]',
    '[^]',
    '^[\\]\\-a]+$',
    '^\\x61\\u0062$',
    '^\\u{1F600}$',
    '^😀+$',
    '^[😀-😂]$',
    '^\\p{L}+$',
    '\\P{L}',
  ],
  ...[
    '^[\\p{Lu}\\d]+$',
    '\\/',
    '^\\.$',
    '\\n',
    '^\\t',
    '[\\b]',
    '^\\cJ$',
    '\\0',
    'a{,2}',
    'a{2',
    '^]$',
    '^a{0}$',
    '(?:)',
    '(|a)b',
  ],
  ...['^(?=a)', '^(?!a)', '(?<=a)b', '(?<!a)b', '^(?=.*b)(?=.*a).{2,}$', '^(?!.*aa)[ab]*$', '(?=(?!a)b)', '(?<=^a*)b'],
  ...[
    '(?:(?=a)a|b){2}',
    'a(?=b|$)',
    '(?=\\b)',
    '^(?:(?!ab).)*$',
    '(?<=(?=ab).)b',
    '^(?=a)*b',
    '(?<=\\bab?)$',
    '(?=a?$)b',
  ],
  "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
  '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$',
  '^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$',
  '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2}))?$',
  '^P(?!$)(\\d+Y)?(\\d+M)?(\\d+W)?(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+S)?)?$',
];

const texts = [
  ...[
    '',
    'a',
    'b',
    'ab',
    'ba',
    'aa',
    'aab',
    'abab',
    'abc',
    'c',
    'A',
    '7',
    '42',
    'a1',
    ' ',
    ' a',
    'a ',
    '\n',
    'a\n',
    '\tb',
    '\0',
  ],
  ...[
    '😀',
    '😀😂',
    'a😀',
    '\ud83d',
    '\ude00a',
    'é',
    'Éa',
    '中文',
    '-',
    '.',
    ']',
    'a]-',
    '/',
    'a{,2}',
    'a{2',
    'k',
    '_',
    '\u2028',
  ],
  ...[
    'a.b@example.com',
    '.a@example.com',
    'a..b@example.com',
    'a@b',
    '10.0.0.1',
    '10.0.0.1.',
    '256.1.1.1',
    'P',
    'P1Y',
    'PT',
    'PT5M',
  ],
  ...[
    '2026-07-28',
    '2026-07-28T09:30:00Z',
    '2026-7-28',
    '123e4567-e89b-12d3-a456-426614174000',
    'aaaaaaaaaaaa',
    'aaaaaaaaaaab',
  ],
];

describe('a pattern matches what RegExp says it matches', () => {
  test.each(patterns)('%s', (pattern) => {
    expect(receivedPatternFault(pattern)).toBeUndefined();
    const matches = matcherOf(pattern);
    for (const text of texts) {
      expect([text, matches(text, free)]).toEqual([text, compilePattern(pattern)?.test(text)]);
    }
  });

  test('also if it is made by chance', () => {
    let seed = 1;
    const below = (limit: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return (seed >>> 8) % limit;
    };
    const of = <T>(list: readonly T[]): T => list[below(list.length)] as T;
    const atoms = ['a', 'b', '.', '[ab]', '[^a]', '\\w', '\\W', '^', '$', '\\b', '\\B', 'é', '😀'];
    const make = (depth: number): string => {
      if (depth === 0) return of(atoms);
      const inner = (): string => make(depth - 1);
      const one = of([inner, () => `(?:${inner()})`, () => `(${inner()}|${inner()})`, () => inner() + inner()])();
      if (below(4) === 0) return of(['(?=', '(?!', '(?<=', '(?<!']).concat(one, ')');
      return below(3) === 0 ? `(?:${one})${of(['*', '+', '?', '{2}', '{1,2}', '{2,}', '*?'])}` : one;
    };
    for (let round = 0; round < 1500; round++) {
      const pattern = make(1 + below(3));
      const text = Array.from({ length: below(7) }, () => of(['a', 'b', ' ', 'é'])).join('');
      const matched = matcherOf(pattern)(text, free);
      expect([pattern, text, matched]).toEqual([pattern, text, new RegExp(pattern, 'u').test(text)]);
    }
  });
});

test.each([
  ['many stars', `^${'a*'.repeat(12)}$`, `${'a'.repeat(3000)}!`],
  ['stars of different sets', '^\\s*\\w*\\s*\\w*\\s*\\w*[a-z]*[a-z]*$', `${'a'.repeat(20_000)}!`],
  ['many optional ones', `^${'a?'.repeat(60)}${'a'.repeat(30)}$`, `${'a'.repeat(60)}!`],
  ['a star at any start', 'a*b', 'a'.repeat(300_000)],
  ['nested stars', '^(a+)+$', `${'a'.repeat(3000)}!`],
  ['counted groups', '^(a{1,20}){1,20}$', `${'a'.repeat(399)}!`],
  ['a look-ahead at every place', '(?:(?=a*b)a)*c', 'a'.repeat(3000)],
])('%s take a number of steps that grows with the text', (_, pattern, text) => {
  const { matched, steps } = stepsOf(pattern, text);
  expect(matched).toBe(false);
  expect(steps).toBeLessThan(2_000_000);
});

test('ordinary patterns over long texts take two steps for each character', () => {
  const { matched, steps } = stepsOf('^[A-Za-z0-9+/]*={0,2}$', `${'QUJD'.repeat(50_000)}=`);
  expect(matched).toBe(true);
  expect(steps).toBeLessThan(402_000);
});

test('a pattern tied to the start gives up where it fails', () => {
  expect(stepsOf('^ab', `b${'a'.repeat(10_000)}`).steps).toBeLessThan(1000);
});

test('whoever pays may stop it', () => {
  const stop = (): never => {
    throw new RangeError('enough');
  };
  expect(() => matcherOf('a')('a', stop)).toThrow('enough');
});

test.each([
  ['(a)\\1', /back references/],
  ['(?<x>a)\\k<x>', /back references/],
  ['(?=(a)\\1)', /back references/],
  ['(', /must be a regular expression$/],
  ['a'.repeat(1025), /1024/],
  ['(?:a{100}){100}', /too complex/],
  ['((((a{9}){9}){9}){9}){9}', /too complex/],
  ['a{999999999999}', /too complex/],
  ['(?=a)'.repeat(9), /look-arounds/],
  ['[\\w-.]\\u{61}', /u flag/],
  ['\\012', /u flag/],
  ['(a)*\\k<', /u flag/],
  ['\\ud83d\\ude00', /u flag/],
])('%s cannot be used', (pattern, message) => {
  expect(receivedPatternFault(pattern)).toMatch(message);
});

test('a schema may not have many long patterns', () => {
  const faultOf = receivedPatterns();
  const faults = Array.from({ length: 100 }, (_, i) => faultOf(`^[ab]{0,${700 + i}}$`));
  expect(faults[0]).toBeUndefined();
  expect(faults.at(-1)).toMatch(/too many/);
});

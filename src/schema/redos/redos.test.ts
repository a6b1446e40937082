import { expect, test } from 'vitest';
import { compilePattern } from './compile-pattern.ts';
import { hasModifiers, patternFault } from './redos.ts';

test.each([
  ['kebab case', '^[a-z]+(-[a-z0-9]+)*$'],
  [
    'semver',
    '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$',
  ],
  [
    'e-mail, as HTML has it',
    "^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$",
  ],
  [
    'e-mail, as zod has it',
    "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
  ],
  ['a pattern valid only without the u flag', '^[\\w-\\.]+@([\\w-]+\\.)+[\\w-]{2,4}$'],
  ['uuid', '^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$'],
  ['date-time', '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2}))?$'],
  ['duration', '^P(?!$)(\\d+Y)?(\\d+M)?(\\d+W)?(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+S)?)?$'],
  ['ipv4', '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$'],
  ['ipv6', '^([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$'],
  ['base64', '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'],
  ['a path', '^(/[^/]+)*$'],
  ['a host', '^([a-z]+\\.)+[a-z]{2,}$'],
  ['a colour', '^#(?:[0-9a-f]{3}){1,2}$'],
  ['a password', '^(?=.*[a-z])(?=.*\\d).{8,}$'],
  ['a password with a capital', '^(?=.*[A-Z])(?=.*\\d).{8,}$'],
  ['a name that does not begin with a dash', '^(?!-)[a-z-]+$'],
  ['a quoted string', '^"(?:[^"\\\\]|\\\\.)*"$'],
  ['names in any script', '^(\\p{L}+ )*\\p{L}+$'],
  ['words with accents', '^([a-zà-ÿ]+\\s)*$'],
  ['words of letters', '^(\\p{L}+\\s)*$'],
  ['a list with spaces', '^\\w+(?:,\\s*\\w+)*$'],
  ['words that start alike', '^(?:foo|fob|bar)+$'],
  ['an escape by number', '^(\\x41\\u0042\\u0043+-)*$'],
])('%s is accepted', (_, pattern) => {
  expect(patternFault(pattern)).toBeUndefined();
});

test.each([
  '(a+)+',
  '^(a*)*$',
  '(.*)*',
  '((a+)b?)+$',
  '(a|a)*',
  '(a|aa)+$',
  '(\\w|\\d)*',
  '(?:.|\\n|\\s)*',
  '(-(a|a))*',
  '(a?b?)*x',
  '(x+x+)+y',
  '((a|b)*c?)*',
  '([a-z]+)*\\d',
  '^(\\s*,\\s*)*$',
  '^(\\d{1,3},?)*$',
  '^\\w+([.-]?\\w+)*@x$',
  '(?:[a-z]+\\s?){1,20}$',
  '(a?){30}a{30}',
  '(?=(a+)+$)b',
  '^(?=(a|a)*$)',
  'x*(?!(a*)*b)',
  '(?<=(a+)+)b',
  '^(?!x(?=(a+)+$)).*$',
  '^(\\k|k)*$',
  '^([aÿ]|[bÿ])*$',
  '^([éα]|[жα])*$',
  '^(\\u00ff|[a-\\xff])*$',
  '^(\\p{Lu}|Ä)*$',
  '^(\\u2003|\\s)*$',
])('%s can match one text in too many ways', (pattern) => {
  expect(patternFault(pattern)).toMatch(/many ways/);
});

test('an accepted pattern takes little time on a text that almost matches', () => {
  const start = performance.now();
  expect(compilePattern('^[a-z]+(-[a-z0-9]+)*$')?.test(`${'a-'.repeat(20_000)}!`)).toBe(false);
  expect(performance.now() - start).toBeLessThan(2000);
});

test('a long pattern is refused', () => {
  expect(patternFault('a'.repeat(1025))).toMatch(/1024/);
});

test('an invalid regular expression is refused', () => {
  expect(patternFault('(')).toBe('must be a regular expression');
});

test.each([
  `(${'a?'.repeat(500)})*`,
  `(${'a*'.repeat(300)})*`,
  `(${'a|'.repeat(500)}a)*`,
  '((a{1,200}b{1,200}){1,200})*',
  `(${'[a-z]?'.repeat(100)}){1,99}`,
])('checking a hostile pattern takes little time', (pattern) => {
  const start = performance.now();
  expect(patternFault(pattern)).toBeDefined();
  expect(performance.now() - start).toBeLessThan(2000);
});

test('\\k without a group name is a letter', () => {
  expect(patternFault('(a)*\\k<')).toBeUndefined();
});

test('modifiers such as (?i:) are found, also if the runtime does not support them', () => {
  for (const pattern of ['^(?i:a|A)*$', '(?s-i:.)', '(?-i:a)']) expect(hasModifiers(pattern)).toBe(true);
  for (const pattern of ['(?:a)', '(?=a:)', '(?<i>a:)', '\\(?i:', '\\(?:a)']) expect(hasModifiers(pattern)).toBe(false);
});

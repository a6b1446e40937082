import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readYaml } from './yaml.ts';

const fault = (text: string): string => {
  const result = readYaml(text);
  return 'fault' in result ? result.fault : `no fault: ${JSON.stringify(result.value)}`;
};

describe('what is read', () => {
  test('is what the reader of the conformance suite makes of it: dates are text, as in all of YAML 1.2', () => {
    const text = `
name: pdf-processing
description: >-
  Extract, fill
  and assemble
license: 'Apache-2.0'
since: 2024-01-31
at: 2024-01-31T10:00:00Z
version: 1.10
octal: 0o17
hex: 0x1F
yes: no
empty:
tilde: ~
list: [a, "b", 1, true, null]
<<: { literal: true }
metadata:
  2024: a year
  true: a word
  nested: { deep: [1, [2, [3]]] }
`;
    expect(readYaml(text)).toEqual({ value: parse(text) });
    expect(readYaml('since: 2024-01-31')).toEqual({ value: { since: '2024-01-31' } });
  });

  test('has what an alias stands for in its place', () => {
    expect(readYaml('a: &x [1, 2]\nb: *x\nc: [*x, *x]')).toEqual({
      value: {
        a: [1, 2],
        b: [1, 2],
        c: [
          [1, 2],
          [1, 2],
        ],
      },
    });
  });

  test('is data, also where it is called like something else', () => {
    const result = readYaml('__proto__: { isAdmin: true }\nconstructor: x') as { value: object };
    expect(Object.keys(result.value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(result.value)).toBe(Object.prototype);
    expect((result.value as { isAdmin?: unknown }).isAdmin).toBeUndefined();
  });
});

describe('what is refused', () => {
  test.each([
    ['a key that is there twice', 'a: 1\nb: 2\na: 3', 'it has the same key twice'],
    ['the same key written in two ways', '1: a\n"1": b', 'it has the same key twice'],
    ['a key that is no text', '[a, b]: c', 'it has a key that is not text; put it into quotes'],
    [
      'a number as a key that could be written otherwise',
      '0x10: c',
      'it has a key that is not text; put it into quotes',
    ],
    [
      'a number that JSON has not',
      'a: .inf',
      'it has a value that JSON has not, such as .inf or .nan; put it into quotes',
    ],
    ['a tag of somebody else', 'a: !run rm', 'line 1: Unresolved tag: !run'],
    ['a tag that would make something else than JSON', 'a: !!binary aGk=', /^line 1: Unresolved tag: .*binary$/],
    ['a date by its tag', '\na: !!timestamp 2024-01-31', /^line 2: Unresolved tag: .*timestamp$/],
    ['an alias of nothing', 'a: *nothing', 'it has an alias of nothing'],
    ['an alias that holds itself', 'a: &a [*a]', 'it is nested more than 32 deep'],
    ['a second document', 'a: 1\n--- # two\nb: 2', 'it must be one document without directives'],
    ['a directive', '%TAG ! tag:example.com,2000:\n--- # x\na: 1', 'it must be one document without directives'],
    ['another version of YAML', '%YAML 1.1\n--- # x\na: yes', 'it must be one document without directives'],
    ['nothing', '\n# a comment\n', 'it is empty'],
    ['what is not YAML', '\na: b: c', 'line 2: Nested mappings are not allowed in compact mappings'],
  ])('%s', (_, text, expected) => {
    expect(fault(text)).toMatch(expected);
  });

  test('too much text, before anything is made of it', () => {
    expect(fault(`a: ${'x'.repeat(32_768)}`)).toBe('it is longer than 32768 characters');
  });

  test('a few lines that stand for a billion', () => {
    const levels = Array.from({ length: 9 }, (_, level) => {
      const items = Array(9).fill(level === 0 ? 'lol' : `*l${level - 1}`);
      return `l${level}: &l${level} [${items.join(', ')}]`;
    });
    expect(fault(levels.join('\n'))).toMatch(/^it has more than (10000 values|100 aliases)$/);
    expect(fault(`a: &a x\nb: [${'*a, '.repeat(8000)}]`)).toBe('it has more than 100 aliases');
    expect(fault(`[${'1,'.repeat(11_000)}]`)).toBe('it has more than 10000 values');
  });

  // The library goes down by calling itself, which ends not in an error but in the end of the process.
  test.each([
    ['[', '['.repeat(32_000)],
    ['[ and ]', '['.repeat(16_000) + ']'.repeat(16_000)],
    ['{a: ', '{a: '.repeat(8000)],
    ['- ', '- '.repeat(16_000)],
    ['? ', '? '.repeat(16_000)],
    [': ', ': '.repeat(16_000)],
    ['[? ', '[? '.repeat(10_000)],
    ['a: b: ', 'a: b: '.repeat(5000)],
    ['a: ? ', 'a: ? '.repeat(6000)],
    ['deeper and deeper lines', Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ])('depth made of %s', (_, text) => {
    expect(fault(text)).toBe('it is nested more than 32 deep');
  });

  test('one level too many, and not the last that is allowed', () => {
    const nested = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
    expect(readYaml(nested(32))).toHaveProperty('value');
    expect(fault(nested(33))).toBe('it is nested more than 32 deep');
  });
});

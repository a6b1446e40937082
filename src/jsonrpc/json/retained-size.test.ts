import { expect, test } from 'vitest';
import { retainedSize } from './retained-size.ts';

test('a string counts one byte per character, and two if one of them is not in Latin-1', () => {
  expect(retainedSize('x'.repeat(1000))).toBe(1024);
  expect(retainedSize(`${'x'.repeat(999)}\u4e2d`)).toBe(2024);
});

test('4 KB of empty objects count as 80 KB', () => {
  const list = JSON.parse(`[${'{},'.repeat(1300)}0]`) as unknown;
  expect(retainedSize(list)).toBeGreaterThan(80_000);
});

test('the names of members count', () => {
  expect(retainedSize({ ['n'.repeat(1000)]: 0 })).toBeGreaterThan(1000);
});

test('the size of a deeply nested value is finite', () => {
  let value: unknown = 'x';
  for (let level = 0; level < 20_000; level++) value = level % 2 === 0 ? [value] : { a: value };
  const size = retainedSize(value);
  expect(size).toBeGreaterThan(20_000 * 56);
  expect(size).toBeLessThan(20_000 * 200);
});

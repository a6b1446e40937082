import { expect, test } from 'vitest';
import { retainedSize } from './retained-size.ts';

test('text counts one byte for each character of Latin-1, and two if one is not', () => {
  expect(retainedSize('x'.repeat(1000))).toBe(1024);
  expect(retainedSize(`${'x'.repeat(999)}\u4e2d`)).toBe(2024);
});

test('structure counts more than its text: 4 KB of empty objects take 80 KB', () => {
  const list = JSON.parse(`[${'{},'.repeat(1300)}0]`) as unknown;
  expect(retainedSize(list)).toBeGreaterThan(80_000);
});

test('names of members count', () => {
  expect(retainedSize({ ['n'.repeat(1000)]: 0 })).toBeGreaterThan(1000);
});

test('a value that is nested too deep has no size', () => {
  let value: unknown = 0;
  for (let level = 0; level < 501; level++) value = [value];
  expect(retainedSize(value)).toBe(Number.POSITIVE_INFINITY);
});

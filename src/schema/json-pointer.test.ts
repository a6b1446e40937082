import { expect, test } from 'vitest';
import { pointer, pointerOf, unescaped } from './json-pointer.ts';

test('~ and / are escaped and unescaped', () => {
  expect(pointer('/a', 'b/c~d')).toBe('/a/b~1c~0d');
  expect(unescaped('b~1c~0d~01')).toBe('b/c~d~1');
});

test('a pointer has at most 200 characters', () => {
  expect(pointer('', 'a'.repeat(199))).toHaveLength(200);
  expect(pointer('', 'a'.repeat(200))).toBe(`/${'a'.repeat(198)}…`);
  expect(pointer('', '~'.repeat(1_000_000))).toHaveLength(200);
  const long = pointer('', 'a'.repeat(500));
  expect(pointer(long, 'b')).toBe(long);
});

test('keys beyond the length of a pointer are not read', () => {
  let read = 0;
  const keys = function* (): Generator<number> {
    for (;;) yield read++;
  };
  expect(pointerOf(keys())).toHaveLength(200);
  expect(read).toBeLessThan(100);
});

import { expect, test } from 'vitest';
import { newTaskId } from './find.ts';

test('ids are 160 random bits: a thousand have nothing in common', () => {
  const ids = Array.from({ length: 1000 }, newTaskId);
  expect(ids.every((id) => /^[0-9a-f]{40}$/.test(id))).toBe(true);
  for (const at of [0, 10, 20, 30]) expect(new Set(ids.map((id) => id.slice(at, at + 10))).size).toBe(1000);
});

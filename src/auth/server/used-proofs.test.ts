import { afterEach, expect, test, vi } from 'vitest';
import { UsedProofs } from './used-proofs.ts';

afterEach(() => void vi.useRealTimers());

const soon = (): number => Date.now() + 60_000;

test('a proof is used once; another of the same id, by another key, is another', () => {
  const used = new UsedProofs({ perKey: 10, total: 100 });
  expect(used.use('alice', 'a', soon())).toBe(true);
  expect(used.use('alice', 'a', soon())).toBe(false);
  expect(used.use('bob', 'a', soon())).toBe(true);
});

test('however many proofs one key makes, those of others are remembered', () => {
  const used = new UsedProofs({ perKey: 10, total: 100 });
  used.use('alice', 'a', soon());
  for (let n = 0; n < 1000; n++) used.use('bob', `b-${n}`, soon());
  expect(used.use('alice', 'a', soon())).toBe(false);
  expect(used.use('bob', 'b-999', soon())).toBe(false);
  expect(used.use('bob', 'b-0', soon())).toBe(true);
});

test('when there are too many in all, those of the key go that was not used for the longest time', () => {
  const used = new UsedProofs({ perKey: 10, total: 20 });
  for (const key of ['a', 'b', 'c']) for (let n = 0; n < 10; n++) used.use(key, `${n}`, soon());
  expect(used.use('c', '0', soon())).toBe(false);
  expect(used.use('b', '0', soon())).toBe(false);
  expect(used.use('a', '0', soon())).toBe(true);
});

test('what is over is forgotten', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const used = new UsedProofs({ perKey: 10, total: 3 });
  for (const key of ['a', 'b', 'c']) used.use(key, '1', Date.now() + 1000);
  vi.advanceTimersByTime(1001);
  for (const key of ['d', 'e', 'f']) used.use(key, '1', soon());
  for (const key of ['d', 'e', 'f']) expect(used.use(key, '1', soon())).toBe(false);
});

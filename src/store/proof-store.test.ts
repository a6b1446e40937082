import { afterEach, expect, test, vi } from 'vitest';
import type { ProofStore } from './proof-store.ts';
import { memoryProofStore } from './proof-store.ts';

afterEach(() => void vi.useRealTimers());

const soon = (): number => Date.now() + 60_000;

/** Uses so many new proofs of a key; returns how many were accepted. */
function fill(used: ProofStore, key: string, count: number): number {
  return Array.from({ length: count }, (_, n) => used.use(key, `${n}`, soon())).filter((use) => use === 'first').length;
}

test('a proof is accepted once; the same id of another key is another proof', () => {
  const used = memoryProofStore({ perKey: 10, total: 100 });
  expect(used.use('alice', 'a', soon())).toBe('first');
  expect(used.use('alice', 'a', soon())).toBe('again');
  expect(used.use('bob', 'a', soon())).toBe('first');
});

test('a key at its limit gets no new proofs accepted, and none of the old ones again', () => {
  const used = memoryProofStore({ perKey: 10, total: 100 });
  expect(fill(used, 'bob', 1000)).toBe(10);
  expect(used.use('bob', 'new', soon())).toBe('full');
  for (let n = 0; n < 10; n++) expect(used.use('bob', `${n}`, soon())).toBe('again');
  expect(used.use('alice', 'a', soon())).toBe('first');
});

test('busy keys leave room for every other key, and no proof is accepted again', () => {
  const used = memoryProofStore({ perKey: 50, total: 100 });
  const busy = Array.from({ length: 9 }, (_, n) => `busy-${n}`);
  // The keys take turns.
  for (let n = 0; n < 200; n++) for (const key of busy) void used.use(key, `${n}`, soon());
  expect(fill(used, 'alice', 5)).toBe(5);
  for (const key of [...busy, 'alice']) expect(used.use(key, '0', soon())).toBe('again');
  for (const key of busy) expect(used.use(key, 'new', soon())).toBe('full');
});

test('the total limit holds for any number of keys', () => {
  const used = memoryProofStore({ perKey: 10, total: 100 });
  const accepted = Array.from({ length: 1000 }, (_, n) => used.use(`key-${n}`, 'a', soon()));
  expect(accepted.filter((use) => use === 'first')).toHaveLength(100);
  expect(accepted.indexOf('full')).toBe(100);
});

test('expired proofs are removed, of their own key and of others', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const used = memoryProofStore({ perKey: 2, total: 6 });
  for (const key of ['a', 'b', 'c']) expect(used.use(key, '1', Date.now() + 1000)).toBe('first');
  expect(used.use('a', '2', soon())).toBe('first');
  expect(used.use('a', '3', soon())).toBe('full');
  vi.advanceTimersByTime(1001);
  expect(used.use('a', '3', soon())).toBe('first');
  expect(used.use('a', '2', soon())).toBe('again');
  for (const key of ['d', 'e']) expect(fill(used, key, 1)).toBe(1);
});

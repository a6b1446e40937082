import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ExpiringMap } from './expiring-map.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1000 }));
afterEach(() => void vi.useRealTimers());

test('what has expired is not there, and goes when something new comes', () => {
  const map = new ExpiringMap<string>(10);
  map.set('a', 'A', 2000);
  map.set('b', 'B', 3000);
  expect(map.get('a')).toBe('A');
  vi.setSystemTime(2000);
  expect(map.get('a')).toBeUndefined();
  expect(map.get('b')).toBe('B');
  map.set('c', 'C', 3000);
  expect(map.size).toBe(2);
});

test('what has expired already is not kept', () => {
  const map = new ExpiringMap<string>(10);
  map.set('a', 'A', 2000);
  map.set('a', 'B', 1000);
  expect(map.size).toBe(0);
});

test('it never holds more than it may: the oldest goes', () => {
  const map = new ExpiringMap<number>(3);
  for (let n = 0; n < 100; n++) map.set(String(n), n, 5000);
  expect(map.size).toBe(3);
  expect([96, 97, 98, 99].map((n) => map.get(String(n)))).toEqual([undefined, 97, 98, 99]);
});

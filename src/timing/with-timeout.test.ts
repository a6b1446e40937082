import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withTimeout } from './with-timeout.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<string>(() => {});

test('the outcome of a promise that settles in time is passed on, and no timer is left', async () => {
  expect(await withTimeout(Promise.resolve('value'), 1000)).toBe('value');
  await expect(withTimeout(Promise.reject(new Error('failed')), 1000)).rejects.toThrow('failed');
  expect(vi.getTimerCount()).toBe(0);
});

test('after the timeout the outcome is that of onTimeout, or undefined', async () => {
  const outcomes = Promise.all([withTimeout(never, 1000), withTimeout(never, 1000, () => 'late')]);
  const failing = withTimeout(never, 1000, () => {
    throw new Error('too late');
  });
  const failed = expect(failing).rejects.toThrow('too late');
  await vi.advanceTimersByTimeAsync(1000);
  expect(await outcomes).toEqual([undefined, 'late']);
  await failed;
});

test('a timeout beyond 32 bits sets no timer', () => {
  void withTimeout(never, Number.POSITIVE_INFINITY);
  expect(vi.getTimerCount()).toBe(0);
});

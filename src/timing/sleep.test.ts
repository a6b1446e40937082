import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sleep } from './sleep.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('sleep ends after the given time and leaves no listener', async () => {
  const { signal } = new AbortController();
  let isOver = false;
  const sleeping = sleep(1000, signal).then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(999);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await sleeping;
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('sleep ends at once when the signal aborts, and leaves no timer', async () => {
  const abort = new AbortController();
  const sleeping = sleep(1000, abort.signal);
  abort.abort();
  await sleeping;
  expect(vi.getTimerCount()).toBe(0);
});

test('sleep ends in the next turn if the signal has aborted before', async () => {
  const sleeping = sleep(1000, AbortSignal.abort());
  await vi.advanceTimersByTimeAsync(0);
  await sleeping;
});

test('sleep waits for as long as a timer can if the time is longer', async () => {
  let isOver = false;
  void sleep(Number.POSITIVE_INFINITY).then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect(isOver).toBe(false);
});

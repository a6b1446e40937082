import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DeadlineTimer, deadlineIn } from './deadline-timer.ts';
import { monotonicNow } from './monotonic-now.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the earliest deadline fires, and the others only if they are set again', () => {
  const fired: number[] = [];
  const timer = new DeadlineTimer((time) => fired.push(time));
  const start = monotonicNow();
  timer.set(deadlineIn(300));
  timer.set(deadlineIn(100));
  timer.set(deadlineIn(200));
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(fired).toEqual([start + 100]);
  timer.set(deadlineIn(50));
  vi.advanceTimersByTime(50);
  expect(fired).toHaveLength(2);
});

test('a stopped timer fires nothing and can be set again', () => {
  const fired: number[] = [];
  const timer = new DeadlineTimer((time) => fired.push(time));
  timer.set(deadlineIn(100));
  timer.stop();
  expect(vi.getTimerCount()).toBe(0);
  timer.set(deadlineIn(200));
  vi.advanceTimersByTime(200);
  expect(fired).toHaveLength(1);
});

test('a deadline counts from the given time, is never in the past of it, and beyond 32 bits it is never', () => {
  expect(deadlineIn(5, 10)).toBe(15);
  expect(deadlineIn(-5, 10)).toBe(10);
  expect(deadlineIn(2 ** 31 - 1, 0)).toBe(2 ** 31 - 1);
  expect(deadlineIn(2 ** 31, 0)).toBe(Number.POSITIVE_INFINITY);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PausableDeadline } from './pausable-deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the time of a pause does not count', () => {
  const onDeadline = vi.fn();
  const deadline = new PausableDeadline(1000, onDeadline);
  vi.advanceTimersByTime(600);
  const resume = deadline.pause();
  vi.advanceTimersByTime(10_000);
  expect(vi.getTimerCount()).toBe(0);
  resume();
  vi.advanceTimersByTime(399);
  expect(onDeadline).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onDeadline).toHaveBeenCalledOnce();
});

test('a deadline beyond 32 bits sets no timer', () => {
  new PausableDeadline(2 ** 31, () => {});
  expect(vi.getTimerCount()).toBe(0);
});

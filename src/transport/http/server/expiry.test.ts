import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { whenExpired } from './expiry.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const WEEK = 7 * 24 * 60 * 60_000;

test('it is over when it is over, once', () => {
  const action = vi.fn();
  whenExpired({ subject: 'alice', expiresAt: Date.now() + 1000 }, action);
  vi.advanceTimersByTime(999);
  expect(action).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(action).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test('a time further away than timers can count is not over at once', () => {
  const action = vi.fn();
  whenExpired({ subject: 'alice', expiresAt: Date.now() + 10 * WEEK }, action);
  vi.advanceTimersByTime(10 * WEEK - 1);
  expect(action).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(action).toHaveBeenCalledOnce();
});

test('what was over before is told a moment later, not before whoever asks is ready', () => {
  const action = vi.fn();
  whenExpired({ subject: 'alice', expiresAt: Date.now() - 1 }, action);
  expect(action).not.toHaveBeenCalled();
  vi.advanceTimersByTime(0);
  expect(action).toHaveBeenCalledOnce();
});

test('nobody waits for what has no end, or is not wanted any more', () => {
  const action = vi.fn();
  whenExpired(undefined, action);
  whenExpired({ subject: 'alice' }, action);
  whenExpired({ subject: 'alice', expiresAt: Number.POSITIVE_INFINITY }, action);
  expect(vi.getTimerCount()).toBe(0);
  whenExpired({ subject: 'alice', expiresAt: Date.now() + 1000 }, action)();
  expect(vi.getTimerCount()).toBe(0);
});

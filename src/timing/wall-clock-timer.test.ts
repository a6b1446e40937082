import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WallClockTimer } from './wall-clock-timer.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

test('each action is called at its time, all on one timer, and none is left afterwards', () => {
  const timer = new WallClockTimer();
  const called: string[] = [];
  const at = (name: string, after: number): (() => void) => timer.set(Date.now() + after, () => called.push(name));
  at('b', 200);
  at('a', 100);
  at('c', 300);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(199);
  expect(called).toEqual(['a']);
  vi.advanceTimersByTime(101);
  expect(called).toEqual(['a', 'b', 'c']);
  expect(vi.getTimerCount()).toBe(0);
});

test('a cancelled action is not called; without any action there is no timer', () => {
  const timer = new WallClockTimer();
  const called: string[] = [];
  const cancel = timer.set(Date.now() + 100, () => called.push('a'));
  const cancelOther = timer.set(Date.now() + 200, () => called.push('b'));
  cancel();
  vi.advanceTimersByTime(150);
  cancelOther();
  cancelOther();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(100);
  expect(called).toEqual([]);
});

test('an action may cancel another one that is due, and set a new one', () => {
  const timer = new WallClockTimer();
  const called: string[] = [];
  let cancel = (): void => {};
  timer.set(Date.now() + 100, () => {
    cancel();
    timer.set(Date.now() + 50, () => called.push('later'));
  });
  cancel = timer.set(Date.now() + 100, () => called.push('never'));
  vi.advanceTimersByTime(150);
  expect(called).toEqual(['later']);
});

test('a past time is called at once, a time beyond 32 bits when it comes, Infinity never', () => {
  const timer = new WallClockTimer();
  const called: string[] = [];
  timer.set(Number.POSITIVE_INFINITY, () => called.push('never'));
  expect(vi.getTimerCount()).toBe(0);
  timer.set(Date.now() - 1, () => called.push('at once'));
  timer.set(Date.now() + 2 ** 31 + 1000, () => called.push('in a month'));
  vi.advanceTimersByTime(1);
  expect(called).toEqual(['at once']);
  vi.advanceTimersByTime(2 ** 31);
  expect(called).toEqual(['at once']);
  vi.advanceTimersByTime(1000);
  expect(called).toEqual(['at once', 'in a month']);
});

test('after the timer was lost, the next action that is set also calls the overdue ones', () => {
  const timer = new WallClockTimer();
  const called: string[] = [];
  timer.set(Date.now() + 100, () => called.push('lost'));
  vi.clearAllTimers();
  vi.advanceTimersByTime(200);
  expect(called).toEqual([]);
  timer.set(Date.now() + 100, () => called.push('next'));
  vi.advanceTimersByTime(1);
  expect(called).toEqual(['lost']);
  vi.advanceTimersByTime(100);
  expect(called).toEqual(['lost', 'next']);
});

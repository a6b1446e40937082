import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadlines } from './deadlines.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

test('each is called when its own time is over, in order, and not if it was called off', () => {
  const deadlines = new Deadlines(100);
  const called: string[] = [];
  deadlines.begin(() => called.push('a'));
  const off = deadlines.begin(() => called.push('never'));
  vi.advanceTimersByTime(60);
  deadlines.begin(() => called.push('b'));
  off();
  vi.advanceTimersByTime(39);
  expect(called).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(called).toEqual(['a']);
  vi.advanceTimersByTime(59);
  expect(called).toEqual(['a']);
  vi.advanceTimersByTime(1);
  expect(called).toEqual(['a', 'b']);
  expect(vi.getTimerCount()).toBe(0);
});

test('any number of them is one timer, which ends when they are closed and none is left', () => {
  const deadlines = new Deadlines(100);
  const ends = Array.from({ length: 1000 }, () => deadlines.begin(() => {}));
  expect(vi.getTimerCount()).toBe(1);
  deadlines.close();
  expect(vi.getTimerCount()).toBe(1);
  for (const end of ends) end();
  expect(vi.getTimerCount()).toBe(0);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Alarms } from './alarms.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

test('each rings at its time, all on one timer, and none is left afterwards', () => {
  const alarms = new Alarms();
  const rung: string[] = [];
  const at = (name: string, after: number): (() => void) => alarms.set(Date.now() + after, () => rung.push(name));
  at('b', 200);
  at('a', 100);
  at('c', 300);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(199);
  expect(rung).toEqual(['a']);
  vi.advanceTimersByTime(101);
  expect(rung).toEqual(['a', 'b', 'c']);
  expect(vi.getTimerCount()).toBe(0);
});

test('one that was put off does not ring; without any there is no timer', () => {
  const alarms = new Alarms();
  const rung: string[] = [];
  const putOff = alarms.set(Date.now() + 100, () => rung.push('a'));
  const putOffToo = alarms.set(Date.now() + 200, () => rung.push('b'));
  putOff();
  vi.advanceTimersByTime(150);
  putOffToo();
  putOffToo();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(100);
  expect(rung).toEqual([]);
});

test('one that rings may put off another that is due, and set a new one', () => {
  const alarms = new Alarms();
  const rung: string[] = [];
  let putOff = (): void => {};
  alarms.set(Date.now() + 100, () => {
    putOff();
    alarms.set(Date.now() + 50, () => rung.push('later'));
  });
  putOff = alarms.set(Date.now() + 100, () => rung.push('never'));
  vi.advanceTimersByTime(150);
  expect(rung).toEqual(['later']);
});

test('a time that is over rings at once; one that no timer can count to rings when it comes; never is never', () => {
  const alarms = new Alarms();
  const rung: string[] = [];
  alarms.set(Number.POSITIVE_INFINITY, () => rung.push('never'));
  expect(vi.getTimerCount()).toBe(0);
  alarms.set(Date.now() - 1, () => rung.push('at once'));
  alarms.set(Date.now() + 2 ** 31 + 1000, () => rung.push('in a month'));
  vi.advanceTimersByTime(1);
  expect(rung).toEqual(['at once']);
  vi.advanceTimersByTime(2 ** 31);
  expect(rung).toEqual(['at once']);
  vi.advanceTimersByTime(1000);
  expect(rung).toEqual(['at once', 'in a month']);
});

test('where a timer was lost, the next alarm that is set brings back those that are overdue', () => {
  const alarms = new Alarms();
  const rung: string[] = [];
  alarms.set(Date.now() + 100, () => rung.push('lost'));
  vi.clearAllTimers();
  vi.advanceTimersByTime(200);
  expect(rung).toEqual([]);
  alarms.set(Date.now() + 100, () => rung.push('next'));
  vi.advanceTimersByTime(1);
  expect(rung).toEqual(['lost']);
  vi.advanceTimersByTime(100);
  expect(rung).toEqual(['lost', 'next']);
});

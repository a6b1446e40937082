import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Beating, type Heartbeat, OwnClocks, SharedClock } from './heartbeat.ts';

const INTERVAL = 1600;

class Counter implements Beating {
  beats = 0;

  beat(): void {
    this.beats++;
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const KINDS: readonly [string, (interval: number) => Heartbeat][] = [
  ['clocks of their own', (interval) => new OwnClocks(interval)],
  ['one clock for all', (interval) => new SharedClock(interval)],
];

describe.each(KINDS)('%s', (_, make) => {
  test('beat once per interval until whoever joined leaves', () => {
    const heartbeat = make(INTERVAL);
    const counter = new Counter();
    heartbeat.join(counter);
    heartbeat.join(counter);
    vi.advanceTimersByTime(INTERVAL - 1);
    expect(counter.beats).toBe(0);
    vi.advanceTimersByTime(1);
    expect(counter.beats).toBe(1);
    vi.advanceTimersByTime(9 * INTERVAL);
    expect(counter.beats).toBe(10);
    heartbeat.leave(counter);
    vi.advanceTimersByTime(INTERVAL);
    expect(counter.beats).toBe(10);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('another of their kind has an interval of its own', () => {
    const counter = new Counter();
    const other = make(INTERVAL).every(2 * INTERVAL);
    other.join(counter);
    vi.advanceTimersByTime(4 * INTERVAL);
    expect(counter.beats).toBe(2);
    other.leave(counter);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('one clock for all', () => {
  test('beats for each at its time, with one timer', () => {
    const clock = new SharedClock(INTERVAL);
    const [early, late] = [new Counter(), new Counter()];
    clock.join(early);
    vi.advanceTimersByTime(INTERVAL / 2);
    clock.join(late);
    vi.advanceTimersByTime(INTERVAL / 2);
    expect([early.beats, late.beats]).toEqual([1, 0]);
    vi.advanceTimersByTime(INTERVAL / 2);
    expect([early.beats, late.beats]).toEqual([1, 1]);
    expect(vi.getTimerCount()).toBe(1);
  });

  test('does not beat for whoever left because of another’s beat', () => {
    const clock = new SharedClock(INTERVAL);
    const second = new Counter();
    const first = { beat: () => clock.leave(second) };
    clock.join(first);
    clock.join(second);
    vi.advanceTimersByTime(2 * INTERVAL);
    expect(second.beats).toBe(0);
  });
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pool } from '../../../server/limits/pool.ts';
import { OwnClocks } from './heartbeat.ts';
import type { Outlet } from './http-exchange.ts';
import { Reader } from './reader.ts';
import { UnflushedBytes } from './unflushed.ts';
import type { Visit } from './visit.ts';

const KB = 1024;

/** Takes what is written when it is told to. */
class Basin implements Outlet {
  readonly connection = undefined;
  closed = false;
  waiting = 0;
  queued = 0;

  get done(): boolean {
    return this.closed;
  }

  write(text: string): void {
    this.waiting += text.length;
  }

  end(): void {
    this.closed = true;
  }

  cut(): void {
    this.closed = true;
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A visit for which so many bytes may be unread, and so many of all visits. */
function visitWith(unreadBytes: number, pool = new Pool(1000 * KB * KB)): Visit {
  const unflushed = new UnflushedBytes(pool, new OwnClocks(1000), 10_000);
  return { caller: 'a', http: {}, load: { limits: { unreadBytes }, unflushed } } as unknown as Visit;
}

function fill(reader: Reader, kilobytes: number): void {
  for (let index = 0; index < kilobytes; index++) reader.write('x'.repeat(KB));
}

test('what is written within one turn makes nobody slow, up to half of what may be unread', () => {
  const reader = new Reader(new Basin(), visitWith(1000 * KB));
  fill(reader, 500);
  expect(reader.isSlow).toBe(false);
  fill(reader, 1);
  expect(reader.isSlow).toBe(true);
});

test('whoever has more than 64 KiB waiting when the turn is over is slow until it has taken them', () => {
  const basin = new Basin();
  const reader = new Reader(basin, visitWith(1000 * KB));
  fill(reader, 66);
  expect(reader.isSlow).toBe(false);
  vi.advanceTimersByTime(1);
  expect(reader.isSlow).toBe(true);
  basin.waiting = 64 * KB;
  expect(reader.isSlow).toBe(false);
});

test('whoever has caught up is given another turn', () => {
  const basin = new Basin();
  const reader = new Reader(basin, visitWith(1000 * KB));
  fill(reader, 66);
  vi.advanceTimersByTime(1);
  basin.waiting = 0;
  fill(reader, 100);
  expect(reader.isSlow).toBe(false);
  vi.advanceTimersByTime(1);
  expect(reader.isSlow).toBe(true);
});

test('whoever has too much waiting is cut off, but not from what it needs', () => {
  const basin = new Basin();
  const reader = new Reader(basin, visitWith(10 * KB));
  fill(reader, 11);
  reader.write('the answer', true);
  expect(basin.closed).toBe(false);
  reader.write('a change');
  expect(basin.closed).toBe(true);
  expect(reader.isGone).toBe(true);
});

test('a client of which more than 4 KiB wait is counted until it has taken them', () => {
  const basin = new Basin();
  const pool = new Pool(1000 * KB);
  const reader = new Reader(basin, visitWith(1000 * KB, pool));
  fill(reader, 4);
  expect(pool.used).toBe(0);
  fill(reader, 4);
  expect(pool.used).toBe(8 * KB);
  basin.waiting = 0;
  vi.advanceTimersByTime(2500);
  expect(pool.used).toBe(0);
});

test('when all clients together leave too much unread, the stream of one that does is cut, also from what it needs', () => {
  const pool = new Pool(100 * KB);
  const [first, second] = [new Basin(), new Basin()];
  fill(new Reader(first, visitWith(1000 * KB, pool)), 85);
  const reader = new Reader(second, visitWith(1000 * KB, pool));
  fill(reader, 5);
  expect(second.closed).toBe(false);
  reader.write('the answer', true);
  expect(second.closed).toBe(true);
});

test('a client that takes nothing for 10 seconds is cut off, one that takes something is not', () => {
  const [stalled, slow] = [new Basin(), new Basin()];
  const visit = visitWith(1000 * KB);
  fill(new Reader(stalled, visit), 100);
  fill(new Reader(slow, visit), 100);
  for (let seconds = 0; seconds < 10; seconds++) {
    vi.advanceTimersByTime(1000);
    slow.waiting--;
  }
  expect([stalled.closed, slow.closed]).toEqual([true, false]);
});

test('a client that takes parts of one large write is not cut off', () => {
  const basin = new Basin();
  basin.queued = 100;
  fill(new Reader(basin, visitWith(1000 * KB)), 100);
  for (let seconds = 0; seconds < 20; seconds++) {
    vi.advanceTimersByTime(1000);
    basin.queued--;
  }
  expect(basin.closed).toBe(false);
});

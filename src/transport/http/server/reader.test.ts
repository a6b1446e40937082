import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outlet } from './http-exchange.ts';
import { Reader } from './reader.ts';

const KB = 1024;

/** Takes what is written when it is told to. */
class Basin implements Outlet {
  closed = false;
  waiting = 0;

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

function fill(reader: Reader, kilobytes: number): void {
  for (let index = 0; index < kilobytes; index++) reader.write('x'.repeat(KB));
}

test('what is written within one turn makes nobody slow, up to half of what may be unread', () => {
  const reader = new Reader(new Basin(), 1000 * KB);
  fill(reader, 500);
  expect(reader.isSlow).toBe(false);
  fill(reader, 1);
  expect(reader.isSlow).toBe(true);
});

test('whoever has more than 64 KiB waiting when the turn is over is slow until it has taken them', () => {
  const basin = new Basin();
  const reader = new Reader(basin, 1000 * KB);
  fill(reader, 66);
  expect(reader.isSlow).toBe(false);
  vi.runAllTimers();
  expect(reader.isSlow).toBe(true);
  basin.waiting = 64 * KB;
  expect(reader.isSlow).toBe(false);
});

test('whoever has caught up is given another turn', () => {
  const basin = new Basin();
  const reader = new Reader(basin, 1000 * KB);
  fill(reader, 66);
  vi.runAllTimers();
  basin.waiting = 0;
  fill(reader, 100);
  expect(reader.isSlow).toBe(false);
  vi.runAllTimers();
  expect(reader.isSlow).toBe(true);
});

test('whoever has too much waiting is cut off, but not from what it needs', () => {
  const basin = new Basin();
  const reader = new Reader(basin, 10 * KB);
  fill(reader, 11);
  reader.write('the answer', true);
  expect(basin.closed).toBe(false);
  reader.write('a change');
  expect(basin.closed).toBe(true);
  expect(reader.isGone).toBe(true);
});

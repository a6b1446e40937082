/** Waiting takes as long as it should, whatever happens to the clock on the wall. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Standstill } from './standstill.ts';
import { until } from './until.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HOUR = 3_600_000;

test.each([
  ['forwards', HOUR],
  ['backwards', -HOUR],
])('a clock that is set %s changes nothing', async (_how, shift) => {
  const standstill = new Standstill();
  let isOver = false;
  const waiting = until(new Promise(() => {}), { what: 'It', timeout: 1000, standstill }).catch((error: unknown) => {
    isOver = true;
    return error;
  });
  await vi.advanceTimersByTimeAsync(400);
  vi.setSystemTime(Date.now() + shift);
  // Whoever stops has to find out how much time is left.
  const goOn = standstill.hold();
  await vi.advanceTimersByTimeAsync(10_000);
  vi.setSystemTime(Date.now() + shift);
  goOn();
  await vi.advanceTimersByTimeAsync(599);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await waiting).toMatchObject({ message: 'It timed out after 1000 ms' });
});

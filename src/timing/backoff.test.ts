import { expect, test } from 'vitest';
import { backoffDelay, nextBackoffDelay } from './backoff.ts';

const bounds = { minMs: 250, maxMs: 1500 };

test('delays double from the minimum to the maximum, by the number of the retry and one after the other', () => {
  const delays = [250, 500, 1000, 1500, 1500];
  expect(delays.map((_, retry) => backoffDelay(retry, bounds))).toEqual(delays);
  let previous = 0;
  for (const delay of delays) {
    previous = nextBackoffDelay(previous, bounds);
    expect(previous).toBe(delay);
  }
});

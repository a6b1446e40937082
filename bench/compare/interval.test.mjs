import { expect, test } from 'vitest';
import { medianWithInterval } from './interval.mjs';

const upTo = (count) => Array.from({ length: count }, (_, index) => index + 1);

// The ranks are those of the tables of the sign test.
test.each([
  [6, 1, 6],
  [8, 1, 8],
  [9, 2, 8],
  [10, 2, 9],
  [20, 6, 15],
  [30, 10, 21],
  [50, 18, 33],
  [100, 40, 61],
])('of %i values, the interval is from number %i to number %i', (count, low, high) => {
  expect(medianWithInterval(upTo(count))).toEqual({ median: (count + 1) / 2, low, high });
});

test('the order of the values does not matter, and the values stay as they are', () => {
  const values = [5, 3, 6, 1, 4, 2, 7];
  expect(medianWithInterval(values)).toEqual({ median: 4, low: 1, high: 7 });
  expect(values).toEqual([5, 3, 6, 1, 4, 2, 7]);
});

test('some outliers move neither end', () => {
  const values = upTo(30).map((value) => (value > 25 ? value * 1000 : value));
  expect(medianWithInterval(values)).toMatchObject({ low: 10, high: 21 });
});

test('fewer than 6 values have no interval', () => {
  expect(() => medianWithInterval(upTo(5))).toThrow('5 values have no 95 % interval: 6 are needed');
});

test('about 95 % of the intervals contain the true median', () => {
  const random = generator(1);
  const trials = 2000;
  let contained = 0;
  for (let trial = 0; trial < trials; trial++) {
    const { low, high } = medianWithInterval(Array.from({ length: 30 }, () => random() ** 3));
    if (low <= 0.125 && high >= 0.125) contained++;
  }
  expect(contained / trials).toBeGreaterThan(0.94);
  expect(contained / trials).toBeLessThan(0.98);
});

/** Pseudo-random numbers between 0 and 1, the same for the same seed (mulberry32). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

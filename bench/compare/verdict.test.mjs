import { expect, test } from 'vitest';
import { verdictOf } from './verdict.mjs';

const BOUNDS = { cpu: 1.03, time: 1.03 };
const even = { low: 0.99, high: 1.01 };

test.each([
  ['both intervals end below the bound', even, even, 'ok'],
  ['an interval ends at the bound', { low: 1.01, high: 1.03 }, even, 'ok'],
  ['the bound lies within the interval of CPU time', { low: 1.02, high: 1.04 }, even, 'unclear'],
  ['the bound lies within the interval of elapsed time', even, { low: 0.9, high: 1.2 }, 'unclear'],
  ['the interval of CPU time begins above the bound', { low: 1.031, high: 1.2 }, even, 'LOST'],
  ['the interval of elapsed time begins above the bound', even, { low: 1.04, high: 1.05 }, 'LOST'],
])('%s', (_, cpu, time, verdict) => {
  expect(verdictOf({ cpu: { ratio: cpu }, time: { ratio: time } }, BOUNDS)).toBe(verdict);
});

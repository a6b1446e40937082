import { expect, test } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const NOW = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT');

test.each([
  ['120', 120_000],
  ['0', 0],
  [' 3 ', 3000],
  ['Wed, 21 Oct 2026 07:28:30 GMT', 30_000],
  ['Wed, 21 Oct 2026 07:00:00 GMT', 0],
])('%s is a time from now', (value, milliseconds) => {
  expect(retryAfterMs(value, NOW)).toBe(milliseconds);
});

test.each([undefined, '', 'soon', '-1', '1.5', '1e3', '99999999999', '2026-10-21'])('%s says nothing', (value) => {
  expect(retryAfterMs(value, NOW)).toBeUndefined();
});

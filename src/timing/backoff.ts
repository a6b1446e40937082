/** Exponential backoff: each delay is twice the previous one, up to a maximum. */

/** The shortest and the longest delay, in milliseconds. */
export interface BackoffBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/** Returns the delay before a retry. The first retry is number 0. */
export function backoffDelay(retry: number, { minMs, maxMs }: BackoffBounds): number {
  return Math.min(minMs * 2 ** retry, maxMs);
}

/** Returns the delay after the previous one; after 0 it is the minimum. */
export function nextBackoffDelay(previous: number, { minMs, maxMs }: BackoffBounds): number {
  return Math.min(Math.max(previous * 2, minMs), maxMs);
}

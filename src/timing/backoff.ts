/** Exponential backoff: every delay is twice the one before, within bounds. */

/** The bounds of the delays, in milliseconds. */
export interface BackoffBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/** The delay before a retry: the minimum before the first, number 0, and twice as long before each further one. */
export function backoffDelay(retry: number, { minMs, maxMs }: BackoffBounds): number {
  return Math.min(minMs * 2 ** retry, maxMs);
}

/** The delay that follows another one; after 0 it is the minimum. */
export function nextBackoffDelay(previous: number, { minMs, maxMs }: BackoffBounds): number {
  return Math.min(Math.max(previous * 2, minMs), maxMs);
}

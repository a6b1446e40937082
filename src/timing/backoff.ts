/** Exponential backoff: each delay is twice the previous one, up to a maximum. */

export interface BackoffBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/** Returns the delay before a retry, in milliseconds. The first retry is number 0. */
export function backoffDelay(retry: number, { minMs, maxMs }: BackoffBounds): number {
  return Math.min(minMs * 2 ** retry, maxMs);
}

/** Returns the delay after a delay of `previous`, in milliseconds: twice as long, or `minMs` if `previous` is 0. */
export function nextBackoffDelay(previous: number, { minMs, maxMs }: BackoffBounds): number {
  return Math.min(Math.max(previous * 2, minMs), maxMs);
}

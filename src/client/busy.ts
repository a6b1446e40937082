/** Retry delay after HTTP 429 and 503 responses with `Retry-After`. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import { backoffDelay } from '../timing/backoff.ts';

const PAUSES = { minMs: 1000, maxMs: 30_000 };

/**
 * Returns the delay before the next retry in milliseconds: `Retry-After`, or the exponential backoff if longer. Returns
 * undefined if the error has no `Retry-After`, or if the delay would exceed `deadline`. `tries` counts earlier retries.
 */
export function pauseAfter(error: unknown, tries: number, deadline: number): number | undefined {
  if (!(error instanceof ConnectionError) || (error.status !== 429 && error.status !== 503)) return undefined;
  if (error.retryAfterMs === undefined) return undefined;
  // The backoff limits the retry rate if the server repeatedly sends `Retry-After: 0`.
  const wait = Math.max(error.retryAfterMs, backoffDelay(tries, PAUSES));
  return Date.now() + wait < deadline ? wait : undefined;
}

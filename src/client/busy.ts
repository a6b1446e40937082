/** Servers that are too busy for a request and say when to ask again: HTTP 429 and 503 with `Retry-After`. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import { backoffDelay } from '../timing/backoff.ts';

const PAUSES = { minMs: 1000, maxMs: 30_000 };

/**
 * Milliseconds to wait before what failed with this error is sent once more, after so many tries. Undefined if the server
 * did not ask for that, or only for a time when it is too late: then waiting would hide what is wrong.
 */
export function pauseAfter(error: unknown, tries: number, deadline: number): number | undefined {
  if (!(error instanceof ConnectionError) || (error.status !== 429 && error.status !== 503)) return undefined;
  if (error.retryAfterMs === undefined) return undefined;
  // A server that says "at once" again and again is asked ever less often.
  const wait = Math.max(error.retryAfterMs, backoffDelay(tries, PAUSES));
  return Date.now() + wait < deadline ? wait : undefined;
}

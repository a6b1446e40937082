/** Servers that are too busy for a request and say when to ask again: HTTP 429 and 503 with `Retry-After`. */

import { ConnectionError } from '../jsonrpc/errors.ts';

const SHORTEST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;

/**
 * Milliseconds to wait before what failed with this error is sent once more, after so many tries. Undefined if the server
 * did not ask for that, or only for a time when it is too late: then waiting would hide what is wrong.
 */
export function pauseAfter(error: unknown, tries: number, deadline: number): number | undefined {
  if (!(error instanceof ConnectionError) || (error.status !== 429 && error.status !== 503)) return undefined;
  if (error.retryAfterMs === undefined) return undefined;
  // A server that says "at once" again and again is asked ever less often.
  const pace = Math.min(SHORTEST_PAUSE * 2 ** tries, LONGEST_PAUSE);
  const wait = Math.max(error.retryAfterMs, pace);
  return Date.now() + wait < deadline ? wait : undefined;
}

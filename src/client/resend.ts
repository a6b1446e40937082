/** Sends a response to the server again after a failed HTTP request. This is idempotent, because the response has an id. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import { sleep } from '../timing/sleep.ts';
import { isPassing } from './link-failures.ts';

// Delays in milliseconds: none after a connection reset, then as long as a server takes to restart.
const PAUSES: readonly number[] = [0, 1000, 2000, 4000, 8000];

/** Sends until the server accepts, at most five times. Rejects with the last failure, or the first that is not temporary. */
export async function resend(failure: unknown, send: () => void | Promise<void>, ended: AbortSignal): Promise<void> {
  let last = failure;
  for (const milliseconds of PAUSES) {
    if (!(last instanceof ConnectionError) || !isPassing(last)) break;
    if (milliseconds > 0) await sleep(milliseconds, ended);
    if (ended.aborted) return;
    try {
      return await send();
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

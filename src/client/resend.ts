/** Sends a response to an input request again when its connection broke: the server knows it by its id. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import { sleep } from '../timing/sleep.ts';
import { isPassing } from './link-failures.ts';

// At once after a reset, then as long as a server takes to restart.
const PAUSES: readonly number[] = [0, 1000, 2000, 4000, 8000];

/** Sends until it is accepted, five times at most. Rejects with the last failure, or with one that sending cannot change. */
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

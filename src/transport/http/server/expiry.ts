/** The end of what a caller showed: what stays open is ended then, so that the caller comes back with something fresh. */

import type { Principal } from '../../../protocol/principal.ts';
import { timerMs, unref } from '../../../timing/timer-range.ts';

/** What callers are told for whom something ends. */
export const EXPIRED = 'The token has expired';

/** Calls back when what the caller showed is no longer good, unless the returned function is called before. */
export function whenExpired(principal: Principal | undefined, action: () => void): () => void {
  const { expiresAt } = principal ?? {};
  return expiresAt === undefined || !Number.isFinite(expiresAt) ? nothing : callAt(expiresAt, action);
}

function nothing(): void {}

function callAt(expiresAt: number, action: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (): void => {
    const left = expiresAt - Date.now();
    const counted = timerMs(left);
    // The connection that it ends keeps the process alive, not the timer.
    timer = unref(setTimeout(counted < left ? wait : action, counted));
  };
  wait();
  return () => clearTimeout(timer);
}

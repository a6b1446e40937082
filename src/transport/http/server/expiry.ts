/** Timer for the expiry of credentials: long-lived streams end, so that clients reconnect with a fresh token. */

import type { Principal } from '../../../protocol/principal.ts';
import { timerMs, unref } from '../../../timing/timer-range.ts';

export const EXPIRED = 'The token has expired';

/** Calls `action` at the principal's `expiresAt`. The returned function cancels the timer. */
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
    // The open connection keeps the process running; the timer alone must not.
    timer = unref(setTimeout(counted < left ? wait : action, counted));
  };
  wait();
  return () => clearTimeout(timer);
}

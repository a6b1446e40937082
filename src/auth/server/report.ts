/** Tells the operator why tokens cannot be checked; the callers are told nothing of it. */

import { callGuarded } from '../../jsonrpc/errors.ts';
import { printable } from '../../jsonrpc/printable.ts';
import { monotonicNow } from '../../timing/monotonic-now.ts';
import { AuthError } from '../errors.ts';
import { ExpiringMap } from './expiring-map.ts';

/** Told when something did not work that an authorization server is needed for. */
export type OnError = (error: Error) => void;

const QUIET_MS = 10_000;
const MAX_MESSAGES = 20;

/** Reports to the option "onError", or to stderr: each message once in 10 seconds. Never throws. */
export function reportTo(onError: OnError = log): OnError {
  if (typeof onError !== 'function') throw new TypeError('The option "onError" must be a function');
  const reported = new ExpiringMap<true>(MAX_MESSAGES, monotonicNow);
  return (error) => {
    if (reported.get(error.message)) return;
    reported.set(error.message, true, monotonicNow() + QUIET_MS);
    callGuarded(() => onError(error), log, 'onError failed');
  };
}

function log(error: Error): void {
  // The lines of an `AuthError` are its own: what it quotes is escaped already.
  console.error(`mcpp: ${error instanceof AuthError ? error.message : printable(error.message)}`);
}

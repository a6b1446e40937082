/** Reports to the operator why tokens cannot be checked. Clients get no details. */

import { callGuarded } from '../../jsonrpc/errors.ts';
import { printable } from '../../jsonrpc/printable.ts';
import { monotonicNow } from '../../timing/monotonic-now.ts';
import { AuthError } from '../errors.ts';
import { ExpiringMap } from './expiring-map.ts';

/** Called with errors that prevent the check of tokens, such as an unreachable authorization server. */
export type OnError = (error: Error) => void;

const QUIET_MS = 10_000;
const MAX_MESSAGES = 20;

/** Returns the function that reports errors to `onError`, or to stderr: each message once in 10 seconds. It never throws. */
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
  // An `AuthError` has several lines, and everything that it quotes is already escaped.
  console.error(`mcpp: ${error instanceof AuthError ? error.message : printable(error.message)}`);
}

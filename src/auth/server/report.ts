/** Tells the operator why tokens cannot be checked; the callers are told nothing of it. */

import { guarded } from '../../jsonrpc/errors.ts';

/** Told when something did not work that an authorization server is needed for. */
export type OnError = (error: Error) => void;

const QUIET_MS = 10_000;

/** Reports to the option "onError", or to stderr; the same thing not again and again. Never throws. */
export function reportTo(onError: OnError = log): OnError {
  if (typeof onError !== 'function') throw new TypeError('The option "onError" must be a function');
  let last: { readonly message: string; readonly until: number } | undefined;
  return (error) => {
    const { message } = error;
    if (last?.message === message && Date.now() < last.until) return;
    last = { message, until: Date.now() + QUIET_MS };
    guarded(() => onError(error), log, 'onError failed');
  };
}

function log({ message }: Error): void {
  console.error(`mcpp: ${message}`);
}

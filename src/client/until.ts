/** Waits for a promise, with a timeout and abort signals. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import { aborted } from '../jsonrpc/pending-requests.ts';
import { anySignal } from '../timing/abort-signals.ts';
import { PausableDeadline } from '../timing/pausable-deadline.ts';
import type { PauseGroup } from '../timing/pause-group.ts';

export interface UntilOptions {
  /** Name of the operation in error messages. */
  readonly what: string;
  /** In milliseconds. */
  readonly timeout: number;
  /** Each signal ends the wait. */
  readonly signals?: readonly (AbortSignal | undefined)[];
  /** Pauses the timeout while the group is on hold. */
  readonly group?: PauseGroup;
}

/** Settles like the promise. Rejects with a `ConnectionError` if the timeout expires or a signal aborts first. */
export function until<T>(promise: Promise<T>, { what, timeout, signals = [], group }: UntilOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const { signal, release } = anySignal(signals);
    const giveUp = (): void => end(() => reject(reasonOf(signal, what)));
    const expire = (): void =>
      end(() => reject(new ConnectionError('timeout', `${what} timed out after ${timeout} ms`)));
    const deadline = new PausableDeadline(timeout, expire);
    const forget = group?.add(() => deadline.pause());
    const end = (settle: () => void): void => {
      forget?.();
      deadline.pause();
      release();
      signal.removeEventListener('abort', giveUp);
      settle();
    };
    promise.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}

// The `ConnectionError` of a connection that ended says more than the general abort error.
function reasonOf(signal: AbortSignal, what: string): Error {
  return signal.reason instanceof ConnectionError ? signal.reason : aborted(what, signal);
}

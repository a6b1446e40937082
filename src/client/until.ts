/** Waiting for something, but not for ever. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import { aborted } from '../jsonrpc/pending-requests.ts';
import { anySignal } from '../timing/abort-signals.ts';
import { PausableDeadline } from '../timing/pausable-deadline.ts';
import type { PauseGroup } from '../timing/pause-group.ts';

/** How long to wait. */
export interface UntilOptions {
  /** How errors name what is waited for. */
  readonly what: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** Each of them ends the waiting. */
  readonly signals?: readonly (AbortSignal | undefined)[];
  /** While it is held, the timeout is paused. */
  readonly group?: PauseGroup;
}

/** The promise's outcome; rejects with a `ConnectionError` if it takes too long or is given up. */
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

// A connection that ends aborts with its own error, which says more than that it was aborted.
function reasonOf(signal: AbortSignal, what: string): Error {
  return signal.reason instanceof ConnectionError ? signal.reason : aborted(what, signal);
}

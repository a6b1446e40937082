/** Waiting for something, but not for ever. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import { onAbort } from '../jsonrpc/on-abort.ts';
import { aborted } from '../jsonrpc/outgoing.ts';
import type { Standstill } from './standstill.ts';

/** How long to wait. */
export interface UntilOptions {
  /** How errors name what is waited for. */
  readonly what: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** Each of them ends the waiting. */
  readonly signals?: readonly (AbortSignal | undefined)[];
  /** While it holds, no time passes. */
  readonly standstill?: Standstill;
}

/** The promise's outcome; rejects with a `ConnectionError` if it takes too long or is given up. */
export function until<T>(promise: Promise<T>, { what, timeout, signals = [], standstill }: UntilOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const { signal, release } = firstOf(signals);
    const giveUp = (): void => end(() => reject(reasonOf(signal, what)));
    const expire = (): void =>
      end(() => reject(new ConnectionError('timeout', `${what} timed out after ${timeout} ms`)));
    const timer = new Timer(timeout, expire);
    const forget = standstill?.add(() => timer.stop());
    const end = (settle: () => void): void => {
      forget?.();
      timer.stop();
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

/** Calls back once after so many milliseconds, not counting those it was stopped for. */
class Timer {
  readonly #expire: () => void;
  #left: number;
  #since = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number, expire: () => void) {
    this.#left = milliseconds;
    this.#expire = expire;
    this.#go();
  }

  /** Stops it; the returned function lets it go on. */
  stop(): () => void {
    clearTimeout(this.#timer);
    this.#left = Math.max(0, this.#left - (performance.now() - this.#since));
    return () => this.#go();
  }

  #go(): void {
    // The clock on the wall may be set meanwhile.
    this.#since = performance.now();
    // setTimeout counts with 32 bits: anything longer would fire at once.
    if (this.#left < 2 ** 31) this.#timer = setTimeout(this.#expire, this.#left);
  }
}

/** Resolves after so many milliseconds, or as soon as the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, signal.aborted ? 0 : milliseconds);
    signal.addEventListener('abort', done, { once: true });
  });
}

/**
 * A signal that aborts with the first of these, until it is released. `AbortSignal.any` would leave something behind in
 * a signal that lives as long as a connection does.
 */
export function firstOf(signals: readonly (AbortSignal | undefined)[]): { signal: AbortSignal; release: () => void } {
  const abort = new AbortController();
  const leaves: (() => void)[] = [];
  for (const signal of signals) {
    if (signal?.aborted) abort.abort(signal.reason);
    else if (signal) leaves.push(onAbort(signal, () => abort.abort(signal.reason)));
  }
  const release = (): void => {
    for (const leave of leaves) leave();
  };
  return { signal: abort.signal, release };
}

// A connection that ends aborts with its own error, which says more than that it was aborted.
function reasonOf(signal: AbortSignal, what: string): Error {
  return signal.reason instanceof ConnectionError ? signal.reason : aborted(what, signal);
}

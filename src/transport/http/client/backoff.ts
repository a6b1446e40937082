/** `Backoff`: delays between attempts to reconnect an SSE stream. */

import type { ReconnectOptions } from '../../../client/http-options.ts';
import { nextBackoffDelay } from '../../../timing/backoff.ts';
import { timerMs } from '../../../timing/timer-range.ts';

/** How an SSE stream ended; argument of `Backoff.after`. */
export interface StreamEnd {
  /** Time the stream was open, in milliseconds; 0 if it never opened. */
  readonly lived: number;
  /** Delay that the server requested by `Retry-After` or the SSE field `retry`, in milliseconds. */
  readonly told: number | undefined;
  /** False if the stream did not open, or if it resumed a response and delivered no new event. Counts as a failed attempt. */
  readonly wasGood: boolean;
}

/** Minimum delay before a reconnect, in milliseconds. */
export const SHORTEST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;
const MAX_TRIES = 5;
// Time a stream must stay open to reset the delay, in milliseconds. Proxies close connections after 60 s or more.
const STEADY_MS = 45_000;

/** Exponential backoff for SSE reconnects, from 1 s up to `maxDelayMs`. A stream that was open for 45 s resets the delay. */
export class Backoff {
  readonly #longest: number;
  readonly #maxTries: number;
  #pause = 0;
  #failures = 0;

  constructor({ maxDelayMs = LONGEST_PAUSE, maxTries = MAX_TRIES }: ReconnectOptions = {}) {
    this.#longest = Math.max(maxDelayMs, SHORTEST_PAUSE);
    this.#maxTries = maxTries;
  }

  /** Returns the maximum delay, or `told` if longer, in milliseconds. For attempts after `after` returned undefined. */
  atLongest(told = 0): number {
    return timerMs(Math.max(this.#longest, told));
  }

  /** Returns the delay before the next attempt, in milliseconds; undefined after `maxTries` failed attempts in a row. */
  after({ lived, told = 0, wasGood }: StreamEnd): number | undefined {
    this.#failures = wasGood ? 0 : this.#failures + 1;
    if (this.#failures >= this.#maxTries) return undefined;
    if (lived >= STEADY_MS) this.#pause = 0;
    // The backoff delay does not grow if the stream succeeded and the server requested a delay of at least 1 s.
    const isPaced = wasGood && told >= SHORTEST_PAUSE;
    if (!isPaced) this.#pause = nextBackoffDelay(this.#pause, { minMs: SHORTEST_PAUSE, maxMs: this.#longest });
    return timerMs(Math.max(this.#pause, told));
  }
}

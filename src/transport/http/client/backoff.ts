/** How long to wait before a stream is opened again. */

import type { ReconnectOptions } from '../../../client/http-options.ts';
import { nextBackoffDelay } from '../../../timing/backoff.ts';
import { timerMs } from '../../../timing/timer-range.ts';

/** How a stream ended. */
export interface StreamEnd {
  /** Milliseconds it was open. */
  readonly lived: number;
  /** Milliseconds the server told us to wait, if it did. */
  readonly told: number | undefined;
  /** False if there was no stream, or one that brought nothing. */
  readonly wasGood: boolean;
}

/** The least there is between two tries. */
export const SHORTEST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;
const MAX_TRIES = 5;
// Proxies cut at a minute and more; whoever ends streams faster than this is asked ever less often.
const STEADY_MS = 45_000;

/** Never faster than one try per second, and ever slower unless streams last. */
export class Backoff {
  readonly #longest: number;
  readonly #maxTries: number;
  #pause = 0;
  #failures = 0;

  constructor({ maxDelayMs = LONGEST_PAUSE, maxTries = MAX_TRIES }: ReconnectOptions = {}) {
    this.#longest = Math.max(maxDelayMs, SHORTEST_PAUSE);
    this.#maxTries = maxTries;
  }

  /** Milliseconds until the next try if there is to be one nevertheless. */
  atLongest(told = 0): number {
    return timerMs(Math.max(this.#longest, told));
  }

  /** Milliseconds until the next try; undefined if so many failed in a row that another is hardly worth it. */
  after({ lived, told = 0, wasGood }: StreamEnd): number | undefined {
    this.#failures = wasGood ? 0 : this.#failures + 1;
    if (this.#failures >= this.#maxTries) return undefined;
    if (lived >= STEADY_MS) this.#pause = 0;
    // A server that asks for a pace of its own, and keeps to what it says, gets it.
    const isPaced = wasGood && told >= SHORTEST_PAUSE;
    if (!isPaced) this.#pause = nextBackoffDelay(this.#pause, { minMs: SHORTEST_PAUSE, maxMs: this.#longest });
    return timerMs(Math.max(this.#pause, told));
  }
}

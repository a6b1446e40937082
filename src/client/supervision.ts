/** When to start a server again, and when to give it up. */

import { type BackoffBounds, backoffDelay } from '../timing/backoff.ts';
import { monotonicNow } from '../timing/monotonic-now.ts';

/** How a server that crashes is started again. */
export interface RestartOptions {
  /** How often it is started again within `withinMs`; at the next crash it is given up. Default: 5. */
  readonly maxRestarts?: number;
  /** Default: 1 minute. */
  readonly withinMs?: number;
  /** Milliseconds before the first restart; each further crash doubles it. Default: 250. */
  readonly minDelayMs?: number;
  /** The most that doubling leads to. Default: 30 s. */
  readonly maxDelayMs?: number;
}

/** Counts crashes. */
export class Supervision {
  readonly #maxRestarts: number;
  readonly #withinMs: number;
  readonly #delays: BackoffBounds;
  #crashes: number[] = [];

  constructor({ maxRestarts = 5, withinMs = 60_000, minDelayMs = 250, maxDelayMs = 30_000 }: RestartOptions) {
    this.#maxRestarts = maxRestarts;
    this.#withinMs = withinMs;
    this.#delays = { minMs: minDelayMs, maxMs: maxDelayMs };
  }

  /** The server crashed: how long to wait before it is started again, or undefined if it is not worth it any more. */
  crashed(now: number = monotonicNow()): number | undefined {
    this.#crashes = [...this.#crashes.filter((at) => now - at < this.#withinMs), now];
    const { length } = this.#crashes;
    if (length > this.#maxRestarts) return undefined;
    return backoffDelay(length - 1, this.#delays);
  }

  /** How many crashes there were of late, the last one included. */
  get recent(): number {
    return this.#crashes.length;
  }

  /** For the error that says it was given up. */
  get summary(): string {
    return `it crashed ${this.#crashes.length} times within ${Math.ceil(this.#withinMs / 1000)} s`;
  }
}

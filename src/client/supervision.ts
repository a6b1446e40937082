/** Restart policy: when to restart a server process, and when to give up. */

import { type BackoffBounds, backoffDelay } from '../timing/backoff.ts';
import { monotonicNow } from '../timing/monotonic-now.ts';

/** Restart policy of a server process that exits. */
export interface RestartOptions {
  /** Maximum number of restarts within `withinMs`. After the next crash the connection fails. Default: 5. */
  readonly maxRestarts?: number;
  /** Period in which restarts are counted, in milliseconds. Default: 60 000. */
  readonly withinMs?: number;
  /** Delay before the first restart, in milliseconds. Each further crash doubles the delay. Default: 250. */
  readonly minDelayMs?: number;
  /** Maximum delay before a restart, in milliseconds. Default: 30 000. */
  readonly maxDelayMs?: number;
}

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

  /** Records a crash. Returns the delay before the restart in milliseconds, or undefined after too many crashes. */
  crashed(now: number = monotonicNow()): number | undefined {
    this.#crashes = [...this.#crashes.filter((at) => now - at < this.#withinMs), now];
    const { length } = this.#crashes;
    if (length > this.#maxRestarts) return undefined;
    return backoffDelay(length - 1, this.#delays);
  }

  /** Number of crashes within the period, including the last one. */
  get recent(): number {
    return this.#crashes.length;
  }

  /** Describes the crashes, for the error message. */
  get summary(): string {
    return `it crashed ${this.#crashes.length} times within ${Math.ceil(this.#withinMs / 1000)} s`;
  }
}

/** One timer for the deadlines of many requests. */

import { monotonicNow } from './monotonic-now.ts';
import { MAX_TIMER_MS } from './timer-range.ts';

/** Returns the deadline after this many milliseconds, by `monotonicNow`; `Infinity` for more than `MAX_TIMER_MS`. */
export function deadlineIn(milliseconds: number, since: number = monotonicNow()): number {
  return milliseconds <= MAX_TIMER_MS ? since + Math.max(milliseconds, 0) : Number.POSITIVE_INFINITY;
}

/** Calls back at the earliest deadline. The callback must find out what is due, and set the remaining deadlines again. */
export class DeadlineTimer {
  readonly #onDeadline: (time: number) => void;
  #at = Number.POSITIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onDeadline: (time: number) => void) {
    this.#onDeadline = onDeadline;
  }

  /** Adds a deadline. It is ignored if an earlier one is set. */
  set(deadline: number): void {
    if (deadline >= this.#at) return;
    clearTimeout(this.#timer);
    this.#at = deadline;
    this.#timer = setTimeout(this.#onTimer, deadline - monotonicNow());
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#at = Number.POSITIVE_INFINITY;
  }

  // Counts the deadline as due even if the timer fires a fraction of a millisecond early.
  readonly #onTimer = (): void => {
    const time = Math.max(monotonicNow(), this.#at);
    this.#at = Number.POSITIVE_INFINITY;
    this.#onDeadline(time);
  };
}

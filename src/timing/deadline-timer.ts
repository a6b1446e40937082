/** One timer for the deadlines of many requests. */

import { monotonicNow } from './monotonic-now.ts';
import { MAX_TIMER_MS } from './timer-range.ts';

/** Returns `since` plus `milliseconds`, as a `monotonicNow` time; `Infinity` if `milliseconds` exceeds `MAX_TIMER_MS`. */
export function deadlineIn(milliseconds: number, since: number = monotonicNow()): number {
  return milliseconds <= MAX_TIMER_MS ? since + Math.max(milliseconds, 0) : Number.POSITIVE_INFINITY;
}

/** Calls `onDeadline` at the earliest deadline. `onDeadline` must determine what is due, and set the other deadlines again. */
export class DeadlineTimer {
  readonly #onDeadline: (time: number) => void;
  #at = Number.POSITIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onDeadline: (time: number) => void) {
    this.#onDeadline = onDeadline;
  }

  /** Sets a deadline, a `monotonicNow` time. Ignored if an earlier deadline is set. */
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

  // A timer can fire a fraction of a millisecond before its deadline. The deadline counts as due nevertheless.
  readonly #onTimer = (): void => {
    const time = Math.max(monotonicNow(), this.#at);
    this.#at = Number.POSITIVE_INFINITY;
    this.#onDeadline(time);
  };
}

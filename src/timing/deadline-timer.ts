/** One timer for the deadlines of many requests. */

import { monotonicNow } from './monotonic-now.ts';
import { MAX_TIMER_MS } from './timer-range.ts';

/** The time, by `monotonicNow`, when so many milliseconds have passed. More than a timer can count to is never. */
export function deadlineIn(milliseconds: number, since: number = monotonicNow()): number {
  return milliseconds <= MAX_TIMER_MS ? since + Math.max(milliseconds, 0) : Number.POSITIVE_INFINITY;
}

/** Calls back at the earliest of the deadlines it was set to. The callback finds out what is due, and sets the next. */
export class DeadlineTimer {
  readonly #onDeadline: (time: number) => void;
  #at = Number.POSITIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onDeadline: (time: number) => void) {
    this.#onDeadline = onDeadline;
  }

  /** Schedules the callback. An earlier deadline fires first; the callback must set this one again. */
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

  // Timers may fire a fraction of a millisecond early: the deadline is due nevertheless.
  readonly #onTimer = (): void => {
    const time = Math.max(monotonicNow(), this.#at);
    this.#at = Number.POSITIVE_INFINITY;
    this.#onDeadline(time);
  };
}

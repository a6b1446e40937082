import { monotonicNow } from './monotonic-now.ts';
import { MAX_TIMER_MS } from './timer-range.ts';

/** Calls `onDeadline` once after `milliseconds`. Pauses, for instance while the user signs in, do not count. */
export class PausableDeadline {
  readonly #onDeadline: () => void;
  #leftMs: number;
  #since = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number, onDeadline: () => void) {
    this.#leftMs = milliseconds;
    this.#onDeadline = onDeadline;
    this.#start();
  }

  /** Pauses the timer until the returned function is called. Pauses must not overlap. */
  pause(): () => void {
    clearTimeout(this.#timer);
    this.#leftMs = Math.max(0, this.#leftMs - (monotonicNow() - this.#since));
    return () => this.#start();
  }

  #start(): void {
    this.#since = monotonicNow();
    if (this.#leftMs <= MAX_TIMER_MS) this.#timer = setTimeout(this.#onDeadline, this.#leftMs);
  }
}

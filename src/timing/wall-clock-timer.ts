/** Runs callbacks at wall-clock times, such as expiry dates, with a single timer. */

import { timerMs, unref } from './timer-range.ts';

interface Scheduled {
  readonly at: number;
  readonly action: () => void;
}

/** Calls actions at scheduled times. Scheduled actions do not keep the process alive. */
export class WallClockTimer {
  readonly #scheduled = new Set<Scheduled>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Unix time for which `#timer` is set, in milliseconds. */
  #next = Number.POSITIVE_INFINITY;

  /** Calls `action` at the Unix time `at`, in milliseconds, unless the returned function is called before. */
  set(at: number, action: () => void): () => void {
    if (at === Number.POSITIVE_INFINITY) return () => {};
    const scheduled = { at, action };
    this.#scheduled.add(scheduled);
    // In a Worker, a timer can be dropped with the request that set it, so an overdue timer is set again.
    if (at < this.#next || this.#next <= Date.now()) this.#wait(Math.min(at, this.#next));
    return () => {
      if (this.#scheduled.delete(scheduled) && this.#scheduled.size === 0) this.#wait(Number.POSITIVE_INFINITY);
    };
  }

  #wait(at: number): void {
    clearTimeout(this.#timer);
    this.#next = at;
    this.#timer = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    this.#timer = unref(setTimeout(() => this.#run(), timerMs(Math.max(at - Date.now(), 1))));
  }

  #run(): void {
    const now = Date.now();
    this.#next = Number.POSITIVE_INFINITY;
    // `delete` returns false for an action that an earlier action has cancelled.
    for (const due of [...this.#scheduled]) if (due.at <= now && this.#scheduled.delete(due)) due.action();
    let next = Number.POSITIVE_INFINITY;
    for (const { at } of this.#scheduled) next = Math.min(next, at);
    this.#wait(next);
  }
}

/** Notices that the keep-alives of an event stream have stopped: a half-open connection shows no other sign of its end. */

import { monotonicNow } from '../../../timing/monotonic-now.ts';
import { timerMs, unref } from '../../../timing/timer-range.ts';

// Bytes are looked for four times per interval, and missed for five times in a row: 1.25 to 1.5 intervals. After a pause of
// the whole process the first look comes before what arrived meanwhile is read, so that one look alone says nothing.
const LOOKS_PER_INTERVAL = 4;
const MAX_SILENT_LOOKS = 5;
const SHORTEST_INTERVAL = 1000;
// Servers of this package say at the beginning of a stream how often a keep-alive comes.
const PROMISE = /^keep-alive (\d{1,10})$/;
// Two intervals as similar as this are taken for the server's pace.
const SIMILAR = 0.8;

/**
 * Watches one stream. Silence counts once the interval is known: from the server's promise, or from three keep-alives in a
 * row. `onSilence` is called again at every look until bytes arrive or `stop` is called.
 */
export class KeepAlives {
  readonly #onSilence: () => void;
  #interval = 0;
  #silentLooks = 0;
  #lastAt: number | undefined;
  #lastGap = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(onSilence: () => void) {
    this.#onSilence = onSilence;
  }

  /** A new stream of the same server is open: what is known of its pace holds for it. */
  begin(): void {
    this.#lastAt = undefined;
    this.#lastGap = 0;
    this.#watch();
  }

  /** Bytes arrived. */
  onBytes(): void {
    this.#silentLooks = 0;
  }

  /** A comment arrived. */
  onComment(text: string): void {
    const promised = PROMISE.exec(text)?.[1];
    if (promised === undefined) this.#learn(monotonicNow());
    else this.#expect(Number(promised));
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #learn(time: number): void {
    const gap = this.#lastAt === undefined ? 0 : time - this.#lastAt;
    const isPace = Math.min(gap, this.#lastGap) >= SIMILAR * Math.max(gap, this.#lastGap, SHORTEST_INTERVAL);
    if (isPace && gap > this.#interval) this.#expect(Math.max(gap, this.#lastGap));
    this.#lastAt = time;
    this.#lastGap = gap;
  }

  #expect(interval: number): void {
    this.#interval = timerMs(Math.max(interval, SHORTEST_INTERVAL));
    this.#watch();
  }

  #watch(): void {
    this.stop();
    this.#silentLooks = 0;
    if (this.#interval === 0) return;
    const look = (): void => {
      if (++this.#silentLooks >= MAX_SILENT_LOOKS) this.#onSilence();
    };
    // The connection keeps the process alive, not this.
    this.#timer = unref(setInterval(look, this.#interval / LOOKS_PER_INTERVAL));
  }
}

/** `KeepAlives`: detects a half-open connection, whose SSE stream receives no more keep-alives. */

import { monotonicNow } from '../../../timing/monotonic-now.ts';
import { timerMs, unref } from '../../../timing/timer-range.ts';

// A stream is silent after 5 checks in a row without bytes, at 4 checks per interval: after 1.25 to 1.5 intervals. One check
// proves nothing: after a suspension of the process, the check runs before the buffered bytes are read.
const LOOKS_PER_INTERVAL = 4;
const MAX_SILENT_LOOKS = 5;
const SHORTEST_INTERVAL = 1000;
// Servers of this package send `: keep-alive 15000` at the start of a stream, with the interval in milliseconds.
const PROMISE = /^keep-alive (\d{1,10})$/;
// Two gaps between keep-alives count as the server's interval if the shorter is at least 0.8 of the longer.
const SIMILAR = 0.8;

/**
 * Watches one SSE stream for silence. Starts when the keep-alive interval is known: announced by the server, or measured from
 * three keep-alives in a row. Calls `onSilence` at every check until bytes arrive or `stop` is called.
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

  /** Starts to watch a new stream of the same server. The known keep-alive interval still applies. */
  begin(): void {
    this.#lastAt = undefined;
    this.#lastGap = 0;
    this.#watch();
  }

  onBytes(): void {
    this.#silentLooks = 0;
  }

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
    // This timer must not keep the process alive: only the connection does.
    this.#timer = unref(setInterval(look, this.#interval / LOOKS_PER_INTERVAL));
  }
}

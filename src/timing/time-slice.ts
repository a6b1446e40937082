/** Keeps the event loop responsive while a lot of input is processed. */

import { monotonicNow } from './monotonic-now.ts';

/** Maximum time of processing input before other events get their turn, in milliseconds. */
const SLICE_MS = 10;
// Interval between readings of the clock, in characters of input, since each reading takes time. Each message counts as
// `CHARACTERS_OF_MESSAGE` more.
const CHARACTERS_PER_READING = 8192;
const CHARACTERS_OF_MESSAGE = 256;

// Pause between two chunks of input after which a new slice begins, in milliseconds. With a shorter pause, both may belong to
// one turn of the event loop.
const PAUSE_MS = 1;

const { setImmediate } = globalThis as { readonly setImmediate?: (callback: () => void) => unknown };

const afterOtherEvents: (callback: () => void) => void = setImmediate ?? ((callback) => setTimeout(callback, 0));

/** Measures how long input has been processed without a break. */
export class TimeSlice {
  /** Time when the slice ends, by `monotonicNow`. */
  #end = 0;
  /** Last reading of the clock. */
  #last = 0;
  /** Characters of input since the last reading of the clock. */
  #characters = 0;

  /** Starts a slice, unless one is running. Must be called when input arrives. */
  begin(): void {
    const time = monotonicNow();
    if (time - this.#last > PAUSE_MS) this.#end = time + SLICE_MS;
    this.#last = time;
  }

  /** Counts a message of this length. True if the slice is over. */
  isOverAfter(length: number): boolean {
    this.#characters += CHARACTERS_OF_MESSAGE + length;
    if (this.#characters < CHARACTERS_PER_READING) return false;
    this.#characters = 0;
    this.#last = monotonicNow();
    return this.#last >= this.#end;
  }

  /** Starts a new slice after other events, and calls back. */
  next(callback: () => void): void {
    afterOtherEvents(() => {
      this.#last = monotonicNow();
      this.#end = this.#last + SLICE_MS;
      callback();
    });
  }
}

/** Keeps the event loop responsive while large input is processed. */

import { monotonicNow } from './monotonic-now.ts';

/** Length of a time slice: maximum time of processing input before other events are handled, in milliseconds. */
const SLICE_MS = 10;
// The clock is read once per this many characters of input, because reading takes time. Each message counts 256 extra.
const CHARACTERS_PER_READING = 8192;
const CHARACTERS_OF_MESSAGE = 256;

// Pause in the input after which a new time slice begins, in ms. Shorter pauses can occur within one event loop iteration.
const PAUSE_MS = 1;

const { setImmediate } = globalThis as { readonly setImmediate?: (callback: () => void) => unknown };

const afterOtherEvents: (callback: () => void) => void = setImmediate ?? ((callback) => setTimeout(callback, 0));

/** Measures how long input has been processed, so that the caller can let other events run after 10 ms. */
export class TimeSlice {
  #end = 0;
  /** Last value of `monotonicNow` that was read. */
  #last = 0;
  /** Characters of input since `isOverAfter` last read the clock. */
  #characters = 0;

  /** Starts a time slice of 10 ms, unless one is running. Must be called when input arrives. */
  begin(): void {
    const time = monotonicNow();
    if (time - this.#last > PAUSE_MS) this.#end = time + SLICE_MS;
    this.#last = time;
  }

  /** Counts a processed message of `length` characters. Returns true if the time slice is over: the caller must call `next`. */
  isOverAfter(length: number): boolean {
    this.#characters += CHARACTERS_OF_MESSAGE + length;
    if (this.#characters < CHARACTERS_PER_READING) return false;
    this.#characters = 0;
    this.#last = monotonicNow();
    return this.#last >= this.#end;
  }

  /** Calls `callback` in a new time slice, after other events have been handled. */
  next(callback: () => void): void {
    afterOtherEvents(() => {
      this.#last = monotonicNow();
      this.#end = this.#last + SLICE_MS;
      callback();
    });
  }
}

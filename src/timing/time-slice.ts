/** Keeps the event loop responsive while a lot of input is processed. */

import { monotonicNow } from './monotonic-now.ts';

/** Milliseconds of processing input before other events get their turn. */
const SLICE_MS = 10;
// The clock is read once per this many characters, since reading it takes time. A message counts as some characters.
const CHARACTERS_PER_READING = 8192;
const CHARACTERS_OF_MESSAGE = 256;

// Chunks with a shorter pause in between may belong to one turn of the event loop, and so to one slice.
const PAUSE_MS = 1;

const { setImmediate } = globalThis as { readonly setImmediate?: (callback: () => void) => unknown };

const afterOtherEvents: (callback: () => void) => void = setImmediate ?? ((callback) => setTimeout(callback, 0));

/** Measures how long input has been processed without a break. */
export class TimeSlice {
  /** The time when the slice ends. */
  #end = 0;
  /** The last reading of the clock. */
  #last = 0;
  /** Characters since the last reading. */
  #characters = 0;

  /** Call when input arrives. */
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

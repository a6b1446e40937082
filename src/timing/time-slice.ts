/** Keeps the event loop responsive while a lot of input is processed. */

import { monotonicNow } from './monotonic-now.ts';

/** Milliseconds of work on input before other events are processed. */
const SLICE_MS = 10;
// Reading the clock costs time: it is read once per this many characters, where a message counts as some of them.
const CHARACTERS_PER_READING = 8192;
const CHARACTERS_OF_MESSAGE = 256;

// Chunks that arrive without such a pause in between may belong to one turn of the event loop.
const PAUSE_MS = 1;

const { setImmediate } = globalThis as { readonly setImmediate?: (callback: () => void) => unknown };

const afterOtherEvents: (callback: () => void) => void = setImmediate ?? ((callback) => setTimeout(callback, 0));

/** Measures the time since work on input began. */
export class TimeSlice {
  /** The time when the slice is used up. */
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

  /** Counts a message of this length; true if the slice is used up. */
  isOverAfter(length: number): boolean {
    this.#characters += CHARACTERS_OF_MESSAGE + length;
    if (this.#characters < CHARACTERS_PER_READING) return false;
    this.#characters = 0;
    this.#last = monotonicNow();
    return this.#last >= this.#end;
  }

  /** Calls back in the next slice, after other events. */
  next(callback: () => void): void {
    afterOtherEvents(() => {
      this.#last = monotonicNow();
      this.#end = this.#last + SLICE_MS;
      callback();
    });
  }
}

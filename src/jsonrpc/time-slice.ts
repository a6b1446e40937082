/** Keeps the event loop turning while a lot of input is worked on. */

import { now } from './alarm.ts';

/** Milliseconds of work on input before other events have their turn. */
const SLICE_MS = 10;
// Reading the clock costs: it is read once for so many characters, where a message counts as some of them.
const LOOK_AFTER = 8192;
const MESSAGE = 256;

// Chunks that arrive without such a pause in between may belong to one turn of the event loop.
const PAUSE_MS = 1;

const { setImmediate } = globalThis as { readonly setImmediate?: (callback: () => void) => unknown };

const afterOtherEvents: (callback: () => void) => void = setImmediate ?? ((callback) => setTimeout(callback, 0));

/** Measures the time since work on input began. */
export class TimeSlice {
  /** When the time is used up. */
  #end = 0;
  /** When the clock was read last. */
  #last = 0;
  /** Characters since then. */
  #done = 0;

  /** Input arrived. */
  begin(): void {
    const time = now();
    if (time - this.#last > PAUSE_MS) this.#end = time + SLICE_MS;
    this.#last = time;
  }

  /** Counts a message of this length; true if the time is used up. */
  isOverAfter(length: number): boolean {
    this.#done += MESSAGE + length;
    if (this.#done < LOOK_AFTER) return false;
    this.#done = 0;
    this.#last = now();
    return this.#last >= this.#end;
  }

  /** Calls back in the next slice, after other events had their turn. */
  next(callback: () => void): void {
    afterOtherEvents(() => {
      this.#last = now();
      this.#end = this.#last + SLICE_MS;
      callback();
    });
  }
}

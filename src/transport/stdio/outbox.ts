/** `Outbox`: collects lines, and writes them to a stream in few writes and with backpressure. */

import { nextTick } from 'node:process';
import type { Writable } from 'node:stream';
import { clearTimeout, setTimeout } from 'node:timers';

// Characters per write: enough to save system calls, few enough to detect soon that the peer does not read.
const WRITE_SIZE = 64 * 1024;
// Maximum characters that wait for a peer that does not read.
const MAX_WAITING = 64 * 1024 * 1024;

export interface OutboxEvents {
  /** Called when backpressure begins. The owner should produce no more lines. */
  readonly onFull: () => void;
  /** Called when more than 64 Mi characters wait. The owner must close the connection. */
  readonly onOverflow: () => void;
  /** Called when the peer reads again and all waiting lines have been written. */
  readonly onDrain: () => void;
}

/** Collects lines while the stream is above its high-water mark. */
export class Outbox {
  readonly #output: Writable;
  readonly #events: OutboxEvents;
  #lines: string[] = [];
  #size = 0;
  #isScheduled = false;
  #isHeld = false;
  #full = false;
  #drained: Deferred | undefined;
  /** Number of writes that the stream has not completed. */
  #writes = 0;
  #flushed: Deferred | undefined;

  constructor(output: Writable, events: OutboxEvents) {
    this.#output = output;
    this.#events = events;
  }

  /** True during backpressure. */
  get full(): boolean {
    return this.#full;
  }

  /** True if no data waits, neither here nor in the stream. */
  get empty(): boolean {
    return this.#lines.length === 0 && this.#writes === 0;
  }

  /** Adds a line. During backpressure, returns a promise that resolves when the peer reads again or the outbox is closed. */
  push(line: string): void | Promise<void> {
    this.#lines.push(line);
    this.#size += line.length;
    if (!this.#full) {
      if (this.#size >= WRITE_SIZE) this.#write();
      else if (!this.#isHeld) this.#schedule();
    }
    if (!this.#full) return undefined;
    // Created before `onOverflow`, because `onOverflow` can close the outbox, which resolves the promise.
    this.#drained ??= deferred();
    const { promise } = this.#drained;
    if (this.#size > MAX_WAITING) this.#events.onOverflow();
    return promise;
  }

  /** Delays writes of less than 64 Ki characters until `release`, so that responses to messages of one chunk leave together. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Ends `hold` and writes the waiting lines. */
  release(): void {
    this.#isHeld = false;
    this.#write();
  }

  /** Writes the waiting lines, and waits until they have left, at most `milliseconds`. */
  async flush(milliseconds: number): Promise<void> {
    this.#write();
    if (this.empty) return;
    this.#flushed ??= deferred();
    const timer = setTimeout(this.#flushed.resolve, milliseconds);
    await this.#flushed.promise;
    clearTimeout(timer);
  }

  /** Drops the waiting lines and resolves all promises. */
  close(): void {
    this.#output.off('drain', this.#onDrain);
    this.#lines = [];
    this.#drained?.resolve();
    this.#flushed?.resolve();
  }

  // Writes after all promise callbacks and `nextTick` callbacks of the current event, so that their lines leave together.
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    nextTick(nextTick, this.#write);
  }

  readonly #write = (): void => {
    this.#isScheduled = false;
    while (this.#lines.length > 0 && !this.#full) {
      this.#writes++;
      // For a large chunk `write` returns false even if the pipe has accepted all of it. There is no backpressure then.
      if (this.#output.write(this.#take(), this.#onWritten) || this.#output.writableLength === 0) continue;
      this.#full = true;
      this.#output.once('drain', this.#onDrain);
      this.#events.onFull();
    }
  };

  // Returns the lines of the next write. After backpressure, more lines can wait than one write should have.
  #take(): string {
    let count = 0;
    let size = 0;
    for (; count < this.#lines.length && size < WRITE_SIZE; count++) size += this.#lines[count]?.length ?? 0;
    this.#size -= size;
    return this.#lines.splice(0, count).join('');
  }

  // Also called if a write failed. The `error` event of the stream reports why.
  readonly #onWritten = (): void => {
    this.#writes--;
    if (this.empty) this.#flushed?.resolve();
  };

  readonly #onDrain = (): void => {
    this.#full = false;
    this.#write();
    if (this.#full) return;
    this.#drained?.resolve();
    this.#drained = undefined;
    this.#events.onDrain();
  };
}

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function deferred(): Deferred {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

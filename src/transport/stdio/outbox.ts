/** Lines on their way out: those that one event brings about leave in one write, and never faster than the peer reads. */

import { nextTick } from 'node:process';
import type { Writable } from 'node:stream';
import { clearTimeout, setTimeout } from 'node:timers';

// Enough to be worth a system call, little enough to notice soon that the peer does not read.
const WRITE_SIZE = 64 * 1024;
// More than this is not kept for a peer that does not read.
const MAX_WAITING = 64 * 1024 * 1024;

/** What an outbox tells its owner. */
export interface OutboxEvents {
  /** The peer does not read: make no more work for it. */
  readonly onFull: () => void;
  /** So much waits for a peer that does not read that the connection has to end. */
  readonly onOverflow: () => void;
  /** The peer reads again, and all that waited has been written. */
  readonly onDrain: () => void;
}

/** Holds lines back while the stream is above its high-water mark. */
export class Outbox {
  readonly #output: Writable;
  readonly #events: OutboxEvents;
  #lines: string[] = [];
  #size = 0;
  #isScheduled = false;
  #isHeld = false;
  #full = false;
  #drained: Deferred | undefined;
  /** Writes the stream has not finished. */
  #writes = 0;
  #flushed: Deferred | undefined;

  constructor(output: Writable, events: OutboxEvents) {
    this.#output = output;
    this.#events = events;
  }

  /** True while the peer does not read. */
  get full(): boolean {
    return this.#full;
  }

  /** True when nothing waits, neither here nor in the stream. */
  get empty(): boolean {
    return this.#lines.length === 0 && this.#writes === 0;
  }

  /** Takes a line. While the peer does not read, the promise resolves when it reads again or is gone. */
  push(line: string): void | Promise<void> {
    this.#lines.push(line);
    this.#size += line.length;
    if (!this.#full) {
      if (this.#size >= WRITE_SIZE) this.#write();
      else if (!this.#isHeld) this.#schedule();
    }
    if (!this.#full) return undefined;
    // Before the overflow is told: whoever ends the connection then lets go those who wait.
    this.#drained ??= deferred();
    const { promise } = this.#drained;
    if (this.#size > MAX_WAITING) this.#events.onOverflow();
    return promise;
  }

  /** Writes nothing until `release`, unless it is a lot: answers to what arrived together leave together. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Writes what is here at once. */
  release(): void {
    this.#isHeld = false;
    this.#write();
  }

  /** Writes what is here and waits until it left, but not longer than `milliseconds`. */
  async flush(milliseconds: number): Promise<void> {
    this.#write();
    if (this.empty) return;
    this.#flushed ??= deferred();
    const timer = setTimeout(this.#flushed.resolve, milliseconds);
    await this.#flushed.promise;
    clearTimeout(timer);
  }

  /** Writes no more; whoever waits is let go. */
  close(): void {
    this.#output.off('drain', this.#onDrain);
    this.#lines = [];
    this.#drained?.resolve();
    this.#flushed?.resolve();
  }

  // When all that waits for promises has run, and what other ticks were for: later than that is another event.
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    nextTick(nextTick, this.#write);
  }

  readonly #write = (): void => {
    this.#isScheduled = false;
    while (this.#lines.length > 0 && !this.#full) {
      this.#writes++;
      // A pipe may take at once even what is more than the stream would keep.
      if (this.#output.write(this.#take(), this.#onWritten) || this.#output.writableLength === 0) continue;
      this.#full = true;
      this.#output.once('drain', this.#onDrain);
      this.#events.onFull();
    }
  };

  // After a stall there may be more than one write should hold.
  #take(): string {
    let count = 0;
    let size = 0;
    for (; count < this.#lines.length && size < WRITE_SIZE; count++) size += this.#lines[count]?.length ?? 0;
    this.#size -= size;
    return this.#lines.splice(0, count).join('');
  }

  // Also called for a write that failed; the stream's error event tells why.
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

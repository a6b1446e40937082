/** A client reading an event stream: keep-alives while it reads, and the end of the stream if it does not. */

import type { CallerRef } from '../../../server/limits/pool.ts';
import { KEEP_ALIVE } from './events.ts';
import type { Beating } from './heartbeat.ts';
import type { Outlet } from './http-exchange.ts';
import type { Load } from './load.ts';
import { UNCOUNTED_BYTES, type UnflushedSink } from './unflushed.ts';
import type { Visit } from './visit.ts';

// A client for whom more than this waits after it had a chance to read gets only messages that it cannot do without.
const SLOW = 64 * 1024;
// The part of what may wait that can be other messages, if all of them are sent before the client had a chance to read.
const SHARE = 1 / 2;
// There are two beats to an interval, in one of which a keep-alive is sent.
const BEATS = 2;

/** Writes for as long as the client reads. It keeps little of its request: thousands of streams stay open for hours. */
export class Reader implements Beating, CallerRef {
  readonly caller: string;
  readonly #outlet: Outlet;
  readonly #load: Load;
  #unflushed: UnflushedSink | undefined;
  #beats = 0;
  #isWatched = false;
  #isBehind = false;

  constructor(outlet: Outlet, visit: Visit) {
    this.#outlet = outlet;
    this.caller = visit.caller;
    this.#load = visit.load;
  }

  /** The client is gone, or the stream has ended. */
  get isGone(): boolean {
    return this.#outlet.closed;
  }

  /** The client is behind. */
  get isSlow(): boolean {
    const { waiting } = this.#outlet;
    return waiting > SLOW && (this.#isBehind || waiting > this.#load.limits.unreadBytes * SHARE);
  }

  /** Writes. If too much waits already the stream is cut instead, for `isNeeded` only if the server is short of memory. */
  write(text: string, isNeeded = false): void {
    const { waiting, closed } = this.#outlet;
    if (closed) return;
    if (waiting > SLOW) this.#watch();
    else this.#isBehind = false;
    if (waiting > UNCOUNTED_BYTES && this.#hasTooMuch(waiting, isNeeded)) {
      this.cut();
      return;
    }
    this.#outlet.write(text);
    this.#count();
  }

  end(): void {
    if (this.#outlet.closed) return;
    this.#outlet.end();
    this.#count();
  }

  cut(): void {
    this.#outlet.cut();
    this.#unflushed?.count();
  }

  beat(): void {
    const { waiting, closed } = this.#outlet;
    if (closed) return;
    if (waiting > 0) this.#follow();
    else if (++this.#beats % BEATS === 0) this.#outlet.write(KEEP_ALIVE);
  }

  #hasTooMuch(waiting: number, isNeeded: boolean): boolean {
    const { unflushed, limits } = this.#load;
    return (!isNeeded && waiting > limits.unreadBytes) || !unflushed.hasRoom(this);
  }

  #count(): void {
    if (this.#unflushed) this.#unflushed.count();
    else if (this.#outlet.waiting > UNCOUNTED_BYTES) this.#follow();
  }

  #follow(): void {
    this.#unflushed ??= this.#load.unflushed.follow(this.#outlet, this, this.#outlet.connection);
  }

  // Messages of one turn of the event loop wait for its end: only what waits for longer is unread.
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    setTimeout(() => {
      this.#isWatched = false;
      this.#isBehind = this.#outlet.waiting > SLOW;
    }, 0);
  }
}

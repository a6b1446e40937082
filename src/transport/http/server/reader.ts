/** `Reader`: writes an SSE stream to one client, with keep-alives, and cuts the stream of a slow consumer. */

import type { CallerRef } from '../../../server/limits/pool.ts';
import { KEEP_ALIVE } from './events.ts';
import type { Beating } from './heartbeat.ts';
import type { Outlet } from './http-exchange.ts';
import type { Load } from './load.ts';
import { UNCOUNTED_BYTES, type UnflushedSink } from './unflushed.ts';
import type { Visit } from './visit.ts';

// Unread bytes above which a client that had time to read is slow: progress and log notifications to it are dropped.
const SLOW = 64 * 1024;
// Fraction of `limits.unreadBytes` above which a client is slow even if it had no time to read.
const SHARE = 1 / 2;
// Beats per keep-alive interval.
const BEATS = 2;

/** SSE stream to one client. Keeps few objects of its request in memory, because thousands of streams stay open for hours. */
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

  /** True if the client has disconnected or the stream has ended. */
  get isGone(): boolean {
    return this.#outlet.closed;
  }

  /** True if the client does not keep up with the stream: progress and log notifications to it are dropped. */
  get isSlow(): boolean {
    const { waiting } = this.#outlet;
    return waiting > SLOW && (this.#isBehind || waiting > this.#load.limits.unreadBytes * SHARE);
  }

  /** Writes to the stream. Cuts it instead if too much is unread, with `isNeeded` only at the server's `unflushedBytes`. */
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

  // Text of one event loop iteration is sent at its end, so only text that is buffered for longer is unread.
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    setTimeout(() => {
      this.#isWatched = false;
      this.#isBehind = this.#outlet.waiting > SLOW;
    }, 0);
  }
}

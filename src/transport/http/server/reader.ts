/** A client reading an event stream: kept from being taken for dead, and given up if it does not read. */

import { KEEP_ALIVE } from './events.ts';
import type { Beating } from './heartbeat.ts';
import type { Outlet } from './http-exchange.ts';

// A client for whom more than this waits after it had a chance to read is told only what it cannot do without.
const SLOW = 64 * 1024;
// So much of what may wait can be such things, if all of it is said before the client has had a chance to read.
const SHARE = 1 / 2;
// There are two beats to an interval, in one of which a stream shows that it is alive.
const BEATS = 2;
// How many beats in a row a client may take nothing of what waits for it.
const PATIENCE = 4 * BEATS;

/** Writes for as long as somebody reads. */
export class Reader implements Beating {
  readonly #outlet: Outlet;
  readonly #maxUnread: number;
  #unread = 0;
  #missed = 0;
  #beats = 0;
  #isWatched = false;
  #isBehind = false;

  constructor(outlet: Outlet, maxUnread: number) {
    this.#outlet = outlet;
    this.#maxUnread = maxUnread;
  }

  /** Nobody reads any more. */
  get isGone(): boolean {
    return this.#outlet.closed;
  }

  /** The client is behind. */
  get isSlow(): boolean {
    const { waiting } = this.#outlet;
    return waiting > SLOW && (this.#isBehind || waiting > this.#maxUnread * SHARE);
  }

  /** Writes; a client that left too much unread is cut off instead, unless it cannot do without. */
  write(text: string, isNeeded = false): void {
    const { waiting, closed } = this.#outlet;
    if (closed) return;
    if (waiting > SLOW) this.#watch();
    else this.#isBehind = false;
    if (!isNeeded && waiting > this.#maxUnread) this.#outlet.cut();
    else this.#outlet.write(text);
  }

  end(): void {
    if (!this.#outlet.closed) this.#outlet.end();
  }

  cut(): void {
    if (!this.#outlet.closed) this.#outlet.cut();
  }

  beat(): void {
    const { waiting, closed } = this.#outlet;
    if (closed) return;
    if (waiting === 0) {
      this.#missed = 0;
      if (++this.#beats % BEATS === 0) this.#outlet.write(KEEP_ALIVE);
    } else {
      this.#missed = waiting < this.#unread ? 0 : this.#missed + 1;
      if (this.#missed >= PATIENCE) this.#outlet.cut();
    }
    this.#unread = waiting;
  }

  // What is said within one turn of the event loop waits for that turn to end: only what waits for longer is unread.
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    setTimeout(() => {
      this.#isWatched = false;
      this.#isBehind = this.#outlet.waiting > SLOW;
    }, 0);
  }
}

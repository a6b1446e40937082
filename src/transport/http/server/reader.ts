/** A client reading an event stream: kept from being taken for dead, and given up if it does not read. */

import { KEEP_ALIVE } from './events.ts';
import type { Beating } from './heartbeat.ts';
import type { Outlet } from './http-exchange.ts';

// Above this, what a client can do without is left out.
const SLOW = 64 * 1024;
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
    return this.#outlet.waiting > SLOW;
  }

  /** Writes; a client that left too much unread is cut off instead, unless it cannot do without. */
  write(text: string, isNeeded = false): void {
    if (this.#outlet.closed) return;
    if (!isNeeded && this.#outlet.waiting > this.#maxUnread) this.#outlet.cut();
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
}

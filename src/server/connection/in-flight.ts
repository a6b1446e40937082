/** What is being worked on for one connection. */

import type { Id } from '../../jsonrpc/message.ts';
import { SlotMap } from '../../jsonrpc/slot-map.ts';
import type { ConnectionExchange } from './exchange.ts';

/** Requests by id, and notifications, from their arrival to their end. */
export class InFlight {
  #running = 0;
  // Each is made on first use: a session has an `InFlight` of its own.
  #requests: SlotMap<Id, ConnectionExchange> | undefined;
  #notifications: Set<ConnectionExchange> | undefined;
  /** Resolvers of `idle`. */
  #waiting: Set<() => void> | undefined;

  /** Requests at work, also those cancelled or too late: neither must make room before the handler ends. */
  get running(): number {
    return this.#running;
  }

  /** Notifications at work. */
  get notifications(): number {
    return this.#notifications?.size ?? 0;
  }

  /** The request that is running under this id. */
  get(id: Id): ConnectionExchange | undefined {
    return this.#requests?.get(id);
  }

  begin(id: Id, exchange: ConnectionExchange): void {
    this.#requests ??= new SlotMap();
    this.#requests.set(id, exchange);
    this.#running++;
  }

  end(id: Id, exchange: ConnectionExchange): void {
    exchange.finish();
    if (exchange.lingering) this.#endWith(exchange.lingering);
    else this.#running--;
    // A request that was cancelled may have given its id to another.
    if (this.get(id) === exchange) this.#requests?.delete(id);
  }

  get #isIdle(): boolean {
    return !this.#requests?.size;
  }

  #endWith(handler: Promise<unknown>): void {
    const ended = (): void => {
      this.#running--;
    };
    handler.then(ended, ended);
  }

  beginNotification(exchange: ConnectionExchange): void {
    this.#notifications ??= new Set();
    this.#notifications.add(exchange);
  }

  endNotification(exchange: ConnectionExchange): void {
    exchange.finish();
    this.#notifications?.delete(exchange);
  }

  /** Gives a request up: nothing is sent for it any more, and its id is free. */
  cancel(id: Id, reason: Error): void {
    this.get(id)?.drop(reason);
    this.#requests?.delete(id);
    this.checkIdle();
  }

  /** Asks requests to end; their answers are still sent. */
  abort(reason: Error, which: (exchange: ConnectionExchange) => boolean = () => true): void {
    for (const exchange of this.#requests?.values() ?? []) if (which(exchange)) exchange.abort(reason);
  }

  /** Gives everything up. */
  dropAll(reason: Error): void {
    const requests = this.#requests?.values() ?? [];
    for (const exchange of [...requests, ...(this.#notifications ?? [])]) exchange.drop(reason);
    this.#requests?.clear();
    this.checkIdle();
  }

  /** Tells whoever waits, if nothing is left. Called once an answer has been sent, not when it is there. */
  checkIdle(): void {
    if (this.#waiting && this.#isIdle) for (const resolve of this.#waiting) resolve();
  }

  /** Waits until no request is left, but not longer than `milliseconds`. */
  async idle(milliseconds: number): Promise<void> {
    if (this.#isIdle || milliseconds <= 0) return;
    const waiting = this.#waiting ?? new Set();
    this.#waiting = waiting;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let done = (): void => {};
    await new Promise<void>((resolve) => {
      done = resolve;
      waiting.add(done);
      if (Number.isFinite(milliseconds)) timer = setTimeout(done, milliseconds);
    });
    waiting.delete(done);
    clearTimeout(timer);
  }
}

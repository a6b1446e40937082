/** `InFlight`: the requests and notifications of one connection that are being handled. */

import type { Id } from '../../jsonrpc/message.ts';
import { SlotMap } from '../../jsonrpc/slot-map.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import type { ConnectionExchange } from './exchange.ts';

/** The requests (by id) and notifications of one connection, from their arrival until they have ended. */
export class InFlight {
  #running = 0;
  // The collections are made on first use, to save memory: every session has an `InFlight`.
  #requests: SlotMap<Id, ConnectionExchange> | undefined;
  #notifications: Set<ConnectionExchange> | undefined;
  /** Functions that resolve the promises returned by `idle`. */
  #idleResolvers: Set<() => void> | undefined;

  /** Number of requests whose handlers run. Those cancelled or timed out count against the limit until their handlers end. */
  get running(): number {
    return this.#running;
  }

  /** Number of notifications whose handlers run. */
  get notifications(): number {
    return this.#notifications?.size ?? 0;
  }

  /** Returns the exchange of the running request with this id. */
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
    const { runningAfterResponse } = exchange;
    if (runningAfterResponse) void runningAfterResponse.catch(() => {}).then(() => this.#running--);
    else this.#running--;
    // The client may have reused the id of a cancelled request: the exchange of the new request stays.
    if (this.get(id) === exchange) this.#requests?.delete(id);
  }

  get #isIdle(): boolean {
    return !this.#requests?.size;
  }

  beginNotification(exchange: ConnectionExchange): void {
    this.#notifications ??= new Set();
    this.#notifications.add(exchange);
  }

  endNotification(exchange: ConnectionExchange): void {
    exchange.finish();
    this.#notifications?.delete(exchange);
  }

  /** Cancels a request. Nothing more is sent for it, and the client may use its id again. */
  cancel(id: Id, reason: Error): void {
    this.get(id)?.discard(reason);
    this.#requests?.delete(id);
    this.checkIdle();
  }

  /** Aborts the signals of the running requests that `which` selects (default: all). Their responses are still sent. */
  abort(reason: Error, which: (exchange: ConnectionExchange) => boolean = () => true): void {
    for (const exchange of this.#requests?.values() ?? []) if (which(exchange)) exchange.abort(reason);
  }

  /** Cancels all requests and notifications. Nothing more is sent for them. */
  discardAll(reason: Error): void {
    const requests = this.#requests?.values() ?? [];
    for (const exchange of [...requests, ...(this.#notifications ?? [])]) exchange.discard(reason);
    this.#requests?.clear();
    this.checkIdle();
  }

  /** Resolves the promises of `idle` if no request is left. To be called after a response was sent. */
  checkIdle(): void {
    if (this.#idleResolvers && this.#isIdle) for (const resolve of this.#idleResolvers) resolve();
  }

  /** Resolves when no request is left, at the latest after `milliseconds`. */
  async idle(milliseconds: number): Promise<void> {
    if (this.#isIdle || milliseconds <= 0) return;
    this.#idleResolvers ??= new Set();
    const resolvers = this.#idleResolvers;
    let resolver = (): void => {};
    const idle = new Promise<void>((resolve) => {
      resolver = resolve;
      resolvers.add(resolver);
    });
    await withTimeout(idle, milliseconds);
    resolvers.delete(resolver);
  }
}

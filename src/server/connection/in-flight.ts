/** `InFlight`: the running requests (by id) and notifications of one connection or session. */

import type { Id } from '../../jsonrpc/message.ts';
import { SlotMap } from '../../jsonrpc/slot-map.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import type { ConnectionExchange } from './exchange.ts';

export class InFlight {
  #running = 0;
  // The collections are created on first use to save memory, because each session can have its own `InFlight`.
  #requests: SlotMap<Id, ConnectionExchange> | undefined;
  #notifications: Set<ConnectionExchange> | undefined;
  #idleResolvers: (() => void)[] | undefined;

  /** Number of requests whose handlers run. Cancelled and timed-out requests count until their handlers end. */
  get running(): number {
    return this.#running;
  }

  get notifications(): number {
    return this.#notifications?.size ?? 0;
  }

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
    // If the client has reused the id of a cancelled request, the exchange of the new request must stay.
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

  /** Cancels a request: nothing more is sent for it, and the client may reuse its id. */
  cancel(id: Id, reason: Error): void {
    this.get(id)?.discard(reason);
    this.#requests?.delete(id);
    this.checkIdle();
  }

  /** Aborts the signals of all running requests, or of those that `which` selects. Their responses are still sent. */
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

  /** Resolves the promises that `idle` returned, if no request is running. Must be called after each response. */
  checkIdle(): void {
    if (this.#idleResolvers && this.#isIdle) for (const resolve of this.#idleResolvers) resolve();
  }

  /** Resolves when no request is running, at the latest after `milliseconds`. */
  async idle(milliseconds: number): Promise<void> {
    if (this.#isIdle || milliseconds <= 0) return;
    this.#idleResolvers ??= [];
    const resolvers = this.#idleResolvers;
    await withTimeout(new Promise<void>((resolve) => resolvers.push(resolve)), milliseconds);
  }
}

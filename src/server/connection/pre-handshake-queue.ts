/** `PreHandshakeQueue`: queues messages that arrive while `initialize` is being handled. */

import { messageObjectOf, type Payload } from '../../jsonrpc/json/parse-message.ts';
import { retainedSize } from '../../jsonrpc/json/retained-size.ts';
import { isBatch, isObject, isRequest } from '../../jsonrpc/message.ts';

const CANCELLED = 'notifications/cancelled';

/** Queue that accepts messages from `begin` on, until `next` finds the queue empty. */
export class PreHandshakeQueue {
  readonly #grow: (bytes: number) => boolean;
  #queue: Payload[] | undefined;

  /** `grow` adds bytes to the memory count of the connection; a negative number frees bytes. It returns false at the limit. */
  constructor(grow: (bytes: number) => boolean) {
    this.#grow = grow;
  }

  get isActive(): boolean {
    return this.#queue !== undefined;
  }

  get size(): number {
    return this.#queue?.length ?? 0;
  }

  /** Starts queueing. Returns false if the queue is active already. */
  begin(): boolean {
    if (this.#queue) return false;
    this.#queue = [];
    return true;
  }

  /**
   * Queues a request, notification or batch, unless `hasRoom` is false or `claim` (the protocol version in `_meta`) is set.
   * `notifications/cancelled` removes its request from the queue. Returns false if the caller must process the message.
   */
  takes(payload: Payload, claim: unknown, hasRoom: boolean): boolean {
    if (!this.#queue) return false;
    const call = messageObjectOf(payload);
    if (call?.method === CANCELLED) return this.#cancel(isObject(call.params) ? call.params['requestId'] : undefined);
    const isQueueable = call ? claim === undefined : isBatch(payload);
    if (!isQueueable || !hasRoom || !this.#grow(retainedSize(payload))) return false;
    this.#queue.push(payload);
    return true;
  }

  /** Removes and returns the first message. If there is none, returns undefined and ends queueing. */
  next(): Payload | undefined {
    const payload = this.#queue?.shift();
    if (payload) this.#grow(-retainedSize(payload));
    else this.#queue = undefined;
    return payload;
  }

  // Removes the request with this id. Returns false if no such request is queued. `initialize` cannot be cancelled.
  #cancel(id: unknown): boolean {
    const index = this.#queue?.findIndex((payload) => {
      const call = messageObjectOf(payload);
      return call !== undefined && isRequest(call) && call.id === id && call.method !== 'initialize';
    });
    if (index === undefined || index < 0) return false;
    for (const removed of this.#queue?.splice(index, 1) ?? []) this.#grow(-retainedSize(removed));
    return true;
  }
}

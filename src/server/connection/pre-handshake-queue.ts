/** Queue of messages that arrive while the `initialize` of their session is being handled. They are handled after it. */

import { messageObjectOf, type Payload } from '../../jsonrpc/json/parse-message.ts';
import { retainedSize } from '../../jsonrpc/json/retained-size.ts';
import { isBatch, isObject, isRequest } from '../../jsonrpc/message.ts';

const CANCELLED = 'notifications/cancelled';

/** Queues messages from `begin` on, until `next` finds the queue empty. */
export class PreHandshakeQueue {
  readonly #grow: (bytes: number) => boolean;
  #queue: Payload[] | undefined;

  /** `grow` counts bytes of queued messages, negative ones when a message is removed. It returns false if there is no room. */
  constructor(grow: (bytes: number) => boolean) {
    this.#grow = grow;
  }

  /** True while `initialize` is being handled, and while the queue is drained. */
  get isActive(): boolean {
    return this.#queue !== undefined;
  }

  get size(): number {
    return this.#queue?.length ?? 0;
  }

  /** Starts queueing. False if it has started already. */
  begin(): boolean {
    if (this.#queue) return false;
    this.#queue = [];
    return true;
  }

  /**
   * Queues a request, a notification or a batch, unless there is no room or its `_meta` has a protocol version (`claim`).
   * `notifications/cancelled` removes the request it names from the queue. True if the caller must not process the message.
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

  /** Removes and returns the first message. Ends queueing if there is none. */
  next(): Payload | undefined {
    const payload = this.#queue?.shift();
    if (payload) this.#grow(-retainedSize(payload));
    else this.#queue = undefined;
    return payload;
  }

  // `initialize` cannot be cancelled.
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

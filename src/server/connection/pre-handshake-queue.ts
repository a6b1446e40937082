/** `PreHandshakeQueue`: keeps messages that arrive while `initialize` is being handled, so that they are handled after it. */

import { messageObjectOf, type Payload } from '../../jsonrpc/json/parse-message.ts';
import { retainedSize } from '../../jsonrpc/json/retained-size.ts';
import { isBatch, isObject, isRequest } from '../../jsonrpc/message.ts';

const CANCELLED = 'notifications/cancelled';

/** A queue of messages. It is active from `begin` on, until `next` finds it empty. */
export class PreHandshakeQueue {
  readonly #grow: (bytes: number) => boolean;
  #queue: Payload[] | undefined;

  /** `grow` adds to the memory that queued messages use, or frees negative bytes. It returns false if a limit is reached. */
  constructor(grow: (bytes: number) => boolean) {
    this.#grow = grow;
  }

  /** True while `initialize` is being handled, and afterwards until the queue is empty. */
  get isActive(): boolean {
    return this.#queue !== undefined;
  }

  get size(): number {
    return this.#queue?.length ?? 0;
  }

  /** Starts queueing. Returns false if it has started already. */
  begin(): boolean {
    if (this.#queue) return false;
    this.#queue = [];
    return true;
  }

  /**
   * Queues a request, a notification or a batch, unless there is no room or its `_meta` has a protocol version (`claim`).
   * `notifications/cancelled` removes the request that it names from the queue. Returns true if the caller must not process the
   * message.
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

  /** Removes and returns the first message. If there is none, queueing ends. */
  next(): Payload | undefined {
    const payload = this.#queue?.shift();
    if (payload) this.#grow(-retainedSize(payload));
    else this.#queue = undefined;
    return payload;
  }

  // Removes the request with this id from the queue. Returns false if it is not queued, or if it is `initialize`, which
  // cannot be cancelled.
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

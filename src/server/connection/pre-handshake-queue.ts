/** Messages of a session that arrive while its `initialize` is being handled. They are handled after it, in their order. */

import { messageObjectOf, type Payload } from '../../jsonrpc/json/parse.ts';
import { retainedSize } from '../../jsonrpc/json/retained-size.ts';
import { isBatch, isObject, isRequest } from '../../jsonrpc/message.ts';

const CANCELLED = 'notifications/cancelled';

/** Queues messages between `begin` and the `next` that finds none. */
export class PreHandshakeQueue {
  readonly #grow: (bytes: number) => boolean;
  #queue: Payload[] | undefined;

  /** `grow` counts the bytes of queued messages, negative ones when they leave the queue; false if there is no room. */
  constructor(grow: (bytes: number) => boolean) {
    this.#grow = grow;
  }

  /** True while `initialize` is being handled, and while the queue is emptied. */
  get isActive(): boolean {
    return this.#queue !== undefined;
  }

  get size(): number {
    return this.#queue?.length ?? 0;
  }

  /** Starts queueing; false if it has started already. */
  begin(): boolean {
    if (this.#queue) return false;
    this.#queue = [];
    return true;
  }

  /**
   * Queues a message of the session, if there is room: not responses, cancellations, and messages with a version of their own
   * (`claim`). A cancellation removes the request it names from the queue. True if the caller must not process the message.
   */
  takes(payload: Payload, claim: unknown, hasRoom: boolean): boolean {
    if (!this.#queue) return false;
    const call = messageObjectOf(payload);
    if (call?.method === CANCELLED) return this.#cancel(isObject(call.params) ? call.params['requestId'] : undefined);
    const isOfSession = call ? claim === undefined : isBatch(payload);
    if (!isOfSession || !hasRoom || !this.#grow(retainedSize(payload))) return false;
    this.#queue.push(payload);
    return true;
  }

  /** Removes the first message. Without one, queueing ends. */
  next(): Payload | undefined {
    const payload = this.#queue?.shift();
    if (payload) this.#grow(-retainedSize(payload));
    else this.#queue = undefined;
    return payload;
  }

  // `initialize` cannot be cancelled.
  #cancel(id: unknown): boolean {
    const at = this.#queue?.findIndex((one) => {
      const call = messageObjectOf(one);
      return call !== undefined && isRequest(call) && call.id === id && call.method !== 'initialize';
    });
    if (at === undefined || at < 0) return false;
    for (const removed of this.#queue?.splice(at, 1) ?? []) this.#grow(-retainedSize(removed));
    return true;
  }
}

/** In-process transports. Each message is copied as if through JSON, so that the two ends share no objects. */

import { ConnectionError } from './errors.ts';
import { jsonCopy } from './json/json-copy.ts';
import { checkPayload } from './json/parse-message.ts';
import type { Message } from './message.ts';
import type { Receiver, Transport } from './transport.ts';

// `SETTLED.then` queues a microtask faster than Node's `queueMicrotask`, which creates an async resource.
const SETTLED = Promise.resolve();

/** One end of an in-process connection. Messages arrive at the other end in order, each in its own microtask. */
class MemoryTransport implements Transport {
  readonly cancelsBy = 'notification';
  readonly deliversSeparately = true;
  #receiver: Receiver | undefined;
  #peer: MemoryTransport | undefined;
  // Messages that arrived before `connect`, which delivers them.
  #early: unknown[] = [];
  #closed = false;

  join(peer: MemoryTransport): void {
    this.#peer = peer;
  }

  get connected(): boolean {
    return this.#receiver !== undefined && !this.#closed;
  }

  async connect(receiver: Receiver): Promise<void> {
    if (this.#receiver)
      throw new ConnectionError('failed', 'The transport is connected already: connect each end of memoryPair() once');
    if (this.#closed) throw new ConnectionError('closed', 'The other end has closed the connection');
    this.#receiver = receiver;
    for (const value of this.#early.splice(0)) this.#deliver(value);
  }

  send(message: Message | readonly Message[]): void {
    if (this.#closed || !this.#peer) throw new ConnectionError('closed', 'The connection is closed');
    const value = jsonCopy(message);
    const peer = this.#peer;
    void SETTLED.then(() => peer.#deliver(value));
  }

  async disconnect(): Promise<void> {
    this.#end();
    // The peer closes in a later microtask, after it has received the messages that are already queued.
    const peer = this.#peer;
    if (peer) void SETTLED.then(() => peer.#end());
  }

  #deliver(value: unknown): void {
    if (this.#closed) return;
    if (this.#receiver) this.#receiver.onMessage(checkPayload(value));
    else this.#early.push(value);
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#early = [];
    this.#receiver?.onClose();
  }
}

/** Creates an in-process connection. Messages that one of the two transports sends arrive at the other. */
export function memoryPair(): [Transport, Transport] {
  const near = new MemoryTransport();
  const far = new MemoryTransport();
  near.join(far);
  far.join(near);
  return [near, far];
}

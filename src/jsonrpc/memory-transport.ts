/** Transports within one process. Each message is serialized and parsed, so that the two ends share no objects. */

import { ConnectionError } from './errors.ts';
import { jsonCopy } from './json/json-copy.ts';
import { checkPayload } from './json/parse-message.ts';
import type { Message } from './message.ts';
import type { Receiver, Transport } from './transport.ts';

// `SETTLED.then` queues a microtask. It is faster than Node's `queueMicrotask`, which creates an async resource.
const SETTLED = Promise.resolve();

/** One end of an in-process connection. Messages arrive at the other end in order, each in a later microtask. */
class MemoryTransport implements Transport {
  readonly cancelsBy = 'notification';
  readonly deliversSeparately = true;
  #receiver: Receiver | undefined;
  #peer: MemoryTransport | undefined;
  // Messages that arrived before `connect`.
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
    // The other end closes in a microtask, so that it first receives the messages sent before.
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

/** Creates the two ends of one connection within this process. */
export function memoryPair(): [Transport, Transport] {
  const near = new MemoryTransport();
  const far = new MemoryTransport();
  near.join(far);
  far.join(near);
  return [near, far];
}

/** Two transports joined in memory. Messages cross as JSON text, so that neither side sees the other's objects. */

import { ConnectionError } from './errors.ts';
import { type Message, serialize } from './message.ts';
import { parsePayload } from './parse.ts';
import type { Receiver, Transport } from './transport.ts';

/** One end of a pair; what is sent here arrives at the other end, in order, in a later microtask. */
class MemoryTransport implements Transport {
  readonly cancelsBy = 'notification';
  #receiver: Receiver | undefined;
  #peer: MemoryTransport | undefined;
  #early: string[] = [];
  #closed = false;

  join(peer: MemoryTransport): void {
    this.#peer = peer;
  }

  get connected(): boolean {
    return this.#receiver !== undefined && !this.#closed;
  }

  async connect(receiver: Receiver): Promise<void> {
    if (this.#receiver) throw new ConnectionError('failed', 'This transport is connected already');
    if (this.#closed) throw new ConnectionError('closed', 'The other end has closed the connection');
    this.#receiver = receiver;
    for (const text of this.#early.splice(0)) this.#deliver(text);
  }

  send(message: Message | readonly Message[]): void {
    if (this.#closed || !this.#peer) throw new ConnectionError('closed', 'The connection is closed');
    const text = serialize(message);
    const peer = this.#peer;
    queueMicrotask(() => peer.#deliver(text));
  }

  async disconnect(): Promise<void> {
    this.#end();
    // What was sent before arrives before the end does.
    const peer = this.#peer;
    if (peer) queueMicrotask(() => peer.#end());
  }

  #deliver(text: string): void {
    if (this.#closed) return;
    if (this.#receiver) this.#receiver.onMessage(parsePayload(text));
    else this.#early.push(text);
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#early = [];
    this.#receiver?.onClose();
  }
}

/** Two ends of one connection within this process. */
export function memoryPair(): [Transport, Transport] {
  const near = new MemoryTransport();
  const far = new MemoryTransport();
  near.join(far);
  far.join(near);
  return [near, far];
}

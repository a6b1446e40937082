/** Opens a WebSocket with the built-in class of the runtime: browsers, Workers, Deno, Bun, and Node from version 22 on. */

import { ConnectionError } from '../../jsonrpc/errors.ts';
import type { Address } from './address.ts';
import { CloseCode, CONGESTED_BYTES, causeOfEnd, type Socket, type SocketListener } from './socket.ts';

// The used part of the standard class `WebSocket`.
interface WebSocket {
  binaryType: string;
  readonly bufferedAmount?: number;
  send(text: string): void;
  close(code?: number): void;
  addEventListener(type: string, listener: (event: SocketEvent) => void): void;
}

interface SocketEvent {
  readonly data?: unknown;
  readonly code?: number;
}

// Interval for polling `bufferedAmount` during backpressure, in milliseconds. No event reports its change.
const LOOK_MS = 25;

export function openSocket(address: Address, listener: SocketListener, signal: AbortSignal): void {
  const { WebSocket } = globalThis as unknown as { WebSocket?: new (url: string, protocols: string[]) => WebSocket };
  if (!WebSocket) throw new ConnectionError('failed', 'This runtime has no WebSocket');
  if (address.headers) {
    throw new ConnectionError('failed', 'This runtime\'s WebSocket cannot send header fields: leave out "headers"');
  }
  const socket = new GlobalSocket(new WebSocket(address.url.href, [...address.protocols]), address, listener);
  signal.addEventListener('abort', () => socket.terminate(), { once: true });
}

class GlobalSocket implements Socket {
  readonly #web: WebSocket;
  readonly #listener: SocketListener;
  #isOpen = false;
  #ended = false;
  #looking: ReturnType<typeof setInterval> | undefined;

  constructor(web: WebSocket, { name }: Address, listener: SocketListener) {
    this.#web = web;
    this.#listener = listener;
    web.binaryType = 'arraybuffer';
    web.addEventListener('open', () => this.#open());
    web.addEventListener('message', ({ data }) => this.#take(data));
    // The event has no details, so that web pages cannot scan a network. A `close` event follows.
    web.addEventListener('error', () => this.#fail(name));
    web.addEventListener('close', ({ code = 1006 }) => {
      if (this.#isOpen) this.#end(causeOfEnd(code));
      else this.#fail(name);
    });
  }

  get unsent(): number {
    return this.#web.bufferedAmount ?? 0;
  }

  send(text: string): void {
    this.#web.send(text);
    if (this.unsent > CONGESTED_BYTES) this.#looking ??= setInterval(this.#look, LOOK_MS);
  }

  pause(): void {}

  resume(): void {}

  close(code: CloseCode): void {
    // Applications may send only 1000 and codes from 3000 to 4999, so 3000 is added to all other codes.
    this.#web.close(code === CloseCode.Normal ? code : code + 3000);
  }

  terminate(): void {
    this.#web.close();
    // The runtime can wait for the close frame of a peer that never sends it.
    this.#end();
  }

  #open(): void {
    if (this.#ended) return;
    this.#isOpen = true;
    this.#listener.onOpen(this);
  }

  #take(data: unknown): void {
    if (this.#ended) return;
    if (typeof data === 'string') this.#listener.onText(data);
    else this.#listener.onBinary();
  }

  readonly #look = (): void => {
    if (this.unsent <= CONGESTED_BYTES / 2) this.#stopLooking();
    this.#listener.onSent();
  };

  #stopLooking(): void {
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  #fail(name: string): void {
    if (!this.#isOpen)
      this.#end(new ConnectionError('failed', `Cannot open a WebSocket to ${name}: it cannot be reached, or refuses`));
  }

  #end(cause?: ConnectionError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopLooking();
    this.#listener.onEnd(cause);
  }
}

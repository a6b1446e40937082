/** Opens a WebSocket with what the runtime has built in: browsers, Workers, Deno, Bun, and Node from 22 on. */

import { ConnectionError } from '../../jsonrpc/errors.ts';
import type { Address } from './address.ts';
import { CloseCode, CONGESTED_BYTES, causeOfEnd, type Socket, type SocketListener } from './socket.ts';

// What is used of the standard's WebSocket.
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

// How often it is looked whether the peer reads again: nothing tells.
const LOOK_MS = 25;

/** Opens a socket to this address. */
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
    // It says nothing, so that pages cannot find out what is in the network; the end follows.
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
    // Programs may use 1000 and what is from 3000 on; the others are for the runtime itself.
    this.#web.close(code === CloseCode.Normal ? code : code + 3000);
  }

  terminate(): void {
    this.#web.close();
    // The runtime may wait for a goodbye that does not come.
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

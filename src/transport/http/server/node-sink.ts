/** What is left of a response of Node's HTTP server after it was written. */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionLoad, Sink } from './unflushed.ts';

// A property takes less memory and time than a WeakMap, and there is one for each connection.
const LOAD: unique symbol = Symbol('mcpp.connectionLoad');

/** What is counted for a connection, whichever handlers answer its requests. */
export function connectionLoad(socket: Socket & { [LOAD]?: ConnectionLoad }): ConnectionLoad {
  socket[LOAD] ??= { inFlight: 0, unflushed: 0 };
  return socket[LOAD];
}

/** A response of which bytes may still wait for the client. */
export class NodeSink implements Sink {
  readonly #response: ServerResponse;
  readonly #socket: Socket;

  constructor(response: ServerResponse, socket: Socket) {
    this.#response = response;
    this.#socket = socket;
  }

  get waiting(): number {
    return this.#response.writableLength;
  }

  get queued(): number {
    return queuedBytes(this.#socket);
  }

  get done(): boolean {
    return this.#response.destroyed || this.#response.writableFinished || this.#socket.destroyed;
  }

  cut(): void {
    cutResponse(this.#response, this.#socket);
  }
}

/**
 * Bytes of the write under way that the operating system has not taken. `writableLength` counts a chunk until all of it is
 * written, so this alone shows that a client reads a large one. Node has no public name for it.
 */
export function queuedBytes(socket: Socket): number {
  return (socket as { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0;
}

/** Breaks off the connection of a response. Over HTTP/2 it is shared, so only the response's own stream ends. */
export function cutResponse(response: ServerResponse, socket: Socket): void {
  if (response.req.httpVersionMajor > 1) response.destroy();
  else socket.destroy();
}

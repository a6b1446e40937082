/** `NodeSink`: unsent bytes of a response of Node's HTTP server, and the counters of its connection. */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionLoad, Sink } from './unflushed.ts';

// A property uses less memory and time than a `WeakMap` entry, and every connection needs one.
const LOAD: unique symbol = Symbol('mcpp.connectionLoad');

/** Returns the counters of a connection, which all handlers on its socket share. */
export function connectionLoad(socket: Socket & { [LOAD]?: ConnectionLoad }): ConnectionLoad {
  socket[LOAD] ??= { inFlight: 0, unflushed: 0 };
  return socket[LOAD];
}

/** A completely written response, of which bytes can still be unsent. */
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
 * Returns the bytes of the current socket write that the operating system has not accepted. `writableLength` counts a large
 * chunk until all of it is written, so only this internal property of Node shows that the client reads it.
 */
export function queuedBytes(socket: Socket): number {
  return (socket as { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0;
}

/** Destroys the connection of a response; in HTTP/2, whose responses share a connection, only the stream of the response. */
export function cutResponse(response: ServerResponse, socket: Socket): void {
  if (response.req.httpVersionMajor > 1) response.destroy();
  else socket.destroy();
}

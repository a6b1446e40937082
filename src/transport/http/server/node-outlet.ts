/** An answer of Node's own HTTP server that is written bit by bit: what is said within one tick leaves in one write. */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { nextTick } from 'node:process';
import { type Fields, NO_SNIFFING, type Outlet } from './http-exchange.ts';
import { connectionLoad, cutResponse, queuedBytes } from './node-sink.ts';
import type { ConnectionLoad } from './unflushed.ts';

// Enough to be worth a write of its own.
const WRITE_SIZE = 64 * 1024;

/** Writes to a response that nobody has written to. */
export class NodeOutlet implements Outlet {
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  /** What the answer begins with, until it has begun. */
  #fields: Fields | undefined;
  #text = '';
  #isScheduled = false;

  constructor(response: ServerResponse, socket: Socket, fields: Fields) {
    this.#response = response;
    this.#socket = socket;
    this.#fields = fields;
    response.on('error', ignore);
    this.#schedule();
  }

  get waiting(): number {
    return this.#response.writableLength + this.#text.length;
  }

  get queued(): number {
    return queuedBytes(this.#socket);
  }

  get done(): boolean {
    const { destroyed, writableFinished } = this.#response;
    return destroyed || writableFinished || this.#socket.destroyed;
  }

  get connection(): ConnectionLoad {
    return connectionLoad(this.#socket);
  }

  get closed(): boolean {
    const { destroyed, writableEnded } = this.#response;
    return destroyed || writableEnded || this.#socket.destroyed;
  }

  write(text: string): void {
    this.#text += text;
    if (this.#text.length >= WRITE_SIZE) this.flush();
    else this.#schedule();
  }

  /** Writes what is here. */
  flush(): void {
    this.#isScheduled = false;
    if (this.closed) return;
    const response = this.#response;
    const text = this.#take();
    if (!this.#begin()) {
      if (text !== '') response.write(text);
      return;
    }
    response.cork();
    // Joined with text, the headers would be kept in pieces for as long as the answer lasts.
    response.flushHeaders();
    if (text !== '') response.write(text);
    response.uncork();
  }

  end(): void {
    if (this.closed) return;
    const text = this.#take();
    // An answer that is there as a whole has a length.
    this.#begin({ 'content-length': Buffer.byteLength(text) });
    this.#response.end(text);
  }

  cut(): void {
    this.#text = '';
    cutResponse(this.#response, this.#socket);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    nextTick(flush, this);
  }

  #take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** False if it has begun already. */
  #begin(more?: { readonly 'content-length': number }): boolean {
    const fields = this.#fields;
    this.#fields = undefined;
    if (!fields || this.#response.headersSent) return false;
    this.#response.writeHead(200, { ...more, ...NO_SNIFFING, ...fields });
    return true;
  }
}

function flush(outlet: NodeOutlet): void {
  outlet.flush();
}

function ignore(): void {}

/** `NodeOutlet`: a streamed response of Node's HTTP server. Text that is written within one tick is sent in one write. */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { nextTick } from 'node:process';
import { type Fields, NO_SNIFFING, type Outlet } from './http-exchange.ts';
import { connectionLoad, cutResponse, queuedBytes } from './node-sink.ts';
import type { ConnectionLoad } from './unflushed.ts';

// Buffered characters that are written at once, instead of at the end of the tick.
const WRITE_SIZE = 64 * 1024;

/** Streams text to a response whose head has not been sent. */
export class NodeOutlet implements Outlet {
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  /** Header fields of the response; undefined after the head has been written. */
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

  /** Writes the buffered text, and before it the head of the response if that was not written yet. */
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
    // If the head were sent together with text, its pieces would stay in memory until the response ends.
    response.flushHeaders();
    if (text !== '') response.write(text);
    response.uncork();
  }

  end(): void {
    if (this.closed) return;
    const text = this.#take();
    // If the head was not sent yet, the text is the whole body, and its length is known.
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

  /** Writes the head of the response. Returns false if the head was written before. */
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

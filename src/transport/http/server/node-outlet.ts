/** An answer of Node's own HTTP server that is written bit by bit: what is said within one tick leaves in one write. */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { nextTick } from 'node:process';
import type { Fields, Outlet } from './http-exchange.ts';

// Enough to be worth a write of its own.
const WRITE_SIZE = 64 * 1024;
// A client that takes nothing of what is left of an answer for this long does not want it.
const STALLED_MS = 60_000;

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
    cutIfStalled(this.#response, 0);
  }

  cut(): void {
    this.#text = '';
    this.#response.destroy();
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
    this.#response.writeHead(200, more ? { ...more, ...fields } : fields);
    return true;
  }
}

/** Breaks the connection off if nothing is taken for a long time of an answer of which more than this waits. */
export function cutIfStalled(response: ServerResponse, more: number): void {
  const { socket, writableLength } = response;
  if (!socket || writableLength <= more) return;
  if (response.req?.httpVersionMajor > 1) {
    // What HTTP/2 gives for a socket is that of all its requests; each has its own time, and ends with it.
    response.setTimeout(STALLED_MS, () => response.destroy());
    return;
  }
  const usual = socket.timeout ?? 0;
  const cut = (): void => void socket.destroy();
  socket.setTimeout(STALLED_MS, cut);
  // Before Node hears of it: it gives the connection the patience it has with idle ones.
  response.prependOnceListener('finish', () => socket.off('timeout', cut).setTimeout(usual));
}

function flush(outlet: NodeOutlet): void {
  outlet.flush();
}

function ignore(): void {}

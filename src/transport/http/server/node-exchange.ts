/** A request of Node's own HTTP server, as the endpoint sees it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Body, BodyLimits, Fields, HttpExchange, Outlet } from './http-exchange.ts';

// A client that takes nothing of a large answer for this long does not want it.
const STALLED_MS = 60_000;
const LARGE = 64 * 1024;

/** Wraps the two objects Node gives. Frameworks may have read the body already. */
export class NodeExchange implements HttpExchange {
  readonly method: string;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #parsed: unknown;
  #headers: ReadonlyMap<string, string> | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, parsed?: unknown) {
    this.#request = request;
    this.#response = response;
    this.#parsed = parsed;
    this.method = request.method ?? '';
  }

  get target(): string {
    // Frameworks take what they mounted the handler at off the URL.
    return (this.#request as { originalUrl?: string }).originalUrl ?? this.#request.url ?? '/';
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  get headers(): ReadonlyMap<string, string> {
    this.#headers ??= new Map(
      Object.keys(this.#request.headers).map((name) => [name, this.header(name) ?? ''] as const),
    );
    return this.#headers;
  }

  readBody({ bytes, milliseconds }: BodyLimits, done: (body: Body) => void): void {
    const request = this.#request;
    if (this.#parsed !== undefined) {
      done(bodyOf(this.#parsed));
      return;
    }
    let chunks: Uint8Array[] = [];
    let length = 0;
    const finish = (body: Body): void => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      chunks = [];
      done(body);
    };
    const onData = (chunk: Uint8Array): void => {
      length += chunk.length;
      if (length > bytes) finish('too large');
      else chunks.push(chunk);
    };
    const onEnd = (): void => finish(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length));
    const onClose = (): void => finish('cut off');
    const timer = setTimeout(() => finish('too slow'), milliseconds);
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  }

  reply(status: number, fields: Fields, body?: string): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    response.writeHead(status, status === 204 ? fields : { ...fields, 'content-length': length });
    response.end(this.method === 'HEAD' ? undefined : body);
    if (length > LARGE) this.#cutIfStalled();
    // What is left of a body nobody wants must not keep the connection.
    if (fields['connection'] === 'close') this.#request.resume().on('error', () => {});
  }

  stream(fields: Fields): Outlet {
    const response = this.#response;
    if (!response.headersSent && !response.destroyed) {
      response.writeHead(200, fields);
      response.flushHeaders();
    }
    response.on('error', () => {});
    return {
      write: (text) => void response.write(text),
      end: () => void response.end(),
      cut: () => void response.destroy(),
      get waiting() {
        return response.writableLength;
      },
      get closed() {
        return response.destroyed || response.writableEnded;
      },
    };
  }

  onClose(listener: () => void): void {
    if (this.#response.closed) queueMicrotask(listener);
    else this.#response.once('close', listener);
  }

  #cutIfStalled(): void {
    const { socket } = this.#response;
    if (!socket) return;
    const cut = (): void => void socket.destroy();
    socket.setTimeout(STALLED_MS, cut);
    this.#response.once('close', () => socket.setTimeout(0, cut));
  }
}

// Some parsers give text or bytes, others what is in them.
function bodyOf(parsed: unknown): Body {
  if (parsed instanceof Uint8Array) return parsed;
  return typeof parsed === 'string' ? new TextEncoder().encode(parsed) : { parsed };
}

/** `NodeExchange`: a request of Node's HTTP server as `HttpExchange`. */

import { AsyncResource } from 'node:async_hooks';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { nextTick } from 'node:process';
import { setImmediate } from 'node:timers';
import type { TLSSocket } from 'node:tls';
import {
  type Body,
  type BodyLimits,
  type Fields,
  type HttpExchange,
  NO_SNIFFING,
  type Outlet,
} from './http-exchange.ts';
import { NodeOutlet } from './node-outlet.ts';
import { connectionLoad, NodeSink } from './node-sink.ts';
import type { ConnectionLoad, Sink } from './unflushed.ts';

const LARGE = 64 * 1024;
const MOST_WAITING = 256;
let waiting = 0;
// Milliseconds for which the rest of a refused body is read. Closing at once would reset TCP, and could lose the response.
const LINGER_MS = 1000;

// Header fields of which `request.headers` has only the first line, even if the client sent several.
const KEPT_ONCE: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type']);
const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

/** Wraps Node's request and response. `parsed` is the body, if a framework has already read it. */
export class NodeExchange implements HttpExchange {
  readonly method: string;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #fields: IncomingHttpHeaders;
  readonly #parsed: unknown;
  #headers: ReadonlyMap<string, string> | undefined;
  #plain: boolean | undefined;
  #isStream = false;
  #forgetBody: (() => void) | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, parsed?: unknown) {
    this.#request = request;
    this.#response = response;
    this.#fields = request.headers;
    this.#parsed = parsed;
    this.method = request.method ?? '';
  }

  get raw(): IncomingMessage {
    return this.#request;
  }

  get target(): string {
    // Frameworks such as Express remove the mount path from `url`, and keep the full target in `originalUrl`.
    const url = (this.#request as { originalUrl?: string }).originalUrl ?? this.#request.url ?? '/';
    if (url.startsWith('/')) return url;
    const target = url.replace(ABSOLUTE, '');
    return target.startsWith('?') || target === '' ? `/${target}` : target;
  }

  get address(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  get connection(): ConnectionLoad {
    return connectionLoad(this.#request.socket);
  }

  get headerBytes(): number {
    let bytes = 0;
    for (const text of this.#request.rawHeaders) bytes += text.length;
    return bytes;
  }

  get isSecure(): boolean {
    return (this.#request.socket as Partial<TLSSocket>).encrypted === true;
  }

  header(name: string): string | undefined {
    // HTTP/2 has the pseudo-header `:authority` instead of `Host`.
    const value = this.#fields[name] ?? (name === 'host' ? this.#fields[':authority'] : undefined);
    if (!this.#isPlain && KEPT_ONCE.has(name)) return this.#allLines(name) ?? (value as string | undefined);
    return Array.isArray(value) ? value.join(', ') : value;
  }

  get headers(): ReadonlyMap<string, string> {
    this.#headers ??= new Map(Object.keys(this.#fields).map((name) => [name, this.header(name) ?? ''] as const));
    return this.#headers;
  }

  readBody(limits: BodyLimits, done: (body: Body) => void): void {
    const request = this.#request;
    const known = this.#knownBody();
    if (known !== undefined) {
      done(known);
      return;
    }
    // Most bodies arrive together with the head, and can be read without listeners once Node has parsed the received bytes.
    whenRead(() => {
      const length = Number(this.#fields['content-length']);
      if (request.destroyed || !(length > 0 && request.readableLength === length)) {
        this.#awaitBody(limits, done);
        return;
      }
      const body = bytesOf(request.read());
      // `resume` lets the request emit `end`, for which other code can wait.
      request.resume();
      done(body.length > limits.bytes ? 'too large' : body);
    });
  }

  #awaitBody(limits: BodyLimits, done: (body: Body) => void): void {
    const request = this.#request;
    if (request.destroyed) {
      done('cut off');
      return;
    }
    // Events of the request run in another async context. `bind` restores the `AsyncLocalStorage` of the caller.
    const tell = AsyncResource.bind(done);
    let chunks: Uint8Array[] = [];
    let length = 0;
    let isOver = false;
    const finish = (body: Body): void => {
      isOver = true;
      clearTimeout(timer);
      chunks = [];
      tell(body);
    };
    // The listeners are garbage-collected with the request, which is faster than removing them. Only `stream` removes them.
    const onData = (data: Uint8Array | string): void => {
      if (isOver) return;
      const chunk = bytesOf(data);
      length += chunk.length;
      if (length > limits.bytes) finish('too large');
      else if (!limits.hasRoom(chunk.length)) finish('no room');
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      if (!isOver) finish(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length));
    };
    const onClose = (): void => {
      if (!isOver) finish('cut off');
    };
    const timer = setTimeout(() => finish('too slow'), limits.milliseconds);
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    this.#forgetBody = () => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    };
  }

  reply(status: number, fields: Fields, body?: string): Sink | undefined {
    const response = this.#response;
    if (this.#isStream || response.headersSent || response.destroyed) return undefined;
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    // `...fields` is last: adding properties after a spread is 20 times as slow.
    const head =
      status === 204
        ? { ...NO_SNIFFING, ...fields }
        : { 'content-length': length, 'x-content-type-options': 'nosniff', ...fields };
    if (fields['connection'] !== undefined) {
      this.#replyAndHangUp(status, head, body);
      return undefined;
    }
    response.writeHead(status, head);
    // Without `flushHeaders`, Node would copy a large body to send it together with the headers.
    if (length > LARGE) response.flushHeaders();
    response.end(this.method === 'HEAD' ? undefined : body);
    return response.writableLength > 0 ? new NodeSink(response, this.#request.socket) : undefined;
  }

  stream(fields: Fields): Outlet {
    this.#isStream = true;
    this.#forgetBody?.();
    this.#forgetBody = undefined;
    // While body data is unread, Node does not notice that the client disconnects.
    this.#request.resume();
    return new NodeOutlet(this.#response, this.#request.socket, fields);
  }

  onClose(listener: () => void): void {
    const response = this.#response;
    const { socket } = this.#request;
    if (response.closed || socket.destroyed) {
      queueMicrotask(listener);
    } else if (response.socket) {
      response.on('close', listener);
    } else {
      // HTTP pipelining: Node emits no `close` for a response that waits behind others when the client disconnects.
      const tell = (): void => {
        response.off('close', tell);
        socket.off('close', tell).setMaxListeners(socket.getMaxListeners() - 1);
        listener();
      };
      response.once('close', tell);
      socket.setMaxListeners(socket.getMaxListeners() + 1).once('close', tell);
    }
  }

  // True for nearly all requests: no header field is repeated, and the request target has no host.
  get #isPlain(): boolean {
    this.#plain ??=
      this.#request.rawHeaders.length === 2 * Object.keys(this.#fields).length &&
      this.#request.url?.startsWith('/') === true;
    return this.#plain;
  }

  // Joins all lines of a field, for `host` also the host of the request target: a second value must not bypass checks.
  #allLines(name: string): string | undefined {
    const { rawHeaders, url } = this.#request;
    const lines = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
    const host = name === 'host' ? ABSOLUTE.exec(url ?? '')?.[1] : undefined;
    if (host !== undefined && !lines.includes(host)) lines.unshift(host);
    return lines.length > 0 ? lines.join(', ') : undefined;
  }

  #knownBody(): Body | undefined {
    const { readableEnded, destroyed } = this.#request;
    if (this.#parsed !== undefined) return bodyOf(this.#parsed);
    if (readableEnded) return 'read already';
    return destroyed ? 'cut off' : undefined;
  }

  #replyAndHangUp(status: number, { connection, ...head }: OutgoingHttpHeaders, body: string | undefined): void {
    // HTTP/2 forbids the field `Connection` (RFC 9113, section 8.2.2).
    const isFirst = this.#request.httpVersionMajor === 1;
    this.#response.writeHead(status, isFirst ? { ...head, connection } : head);
    if (this.#request.complete) this.#response.end(body);
    else this.#endUnread(body);
  }

  // Ends the response after the rest of the request body, or after `LINGER_MS`.
  #endUnread(body = ''): void {
    const response = this.#response;
    const end = (): void => {
      clearTimeout(timer);
      if (!response.destroyed) response.end();
    };
    const timer = setTimeout(end, LINGER_MS);
    response.write(body);
    this.#request
      .on('error', () => {})
      .once('close', end)
      .resume();
  }
}

// Delays `action` until all data of this event loop iteration is read: handling requests in a row is much faster. At most
// `MOST_WAITING` requests are delayed this long, because their data stays in memory meanwhile.
function whenRead(action: () => void): void {
  if (waiting >= MOST_WAITING) {
    nextTick(action);
    return;
  }
  waiting++;
  setImmediate(() => {
    waiting--;
    action();
  });
}

// Chunks are strings if other code has called `setEncoding` on the request.
function bytesOf(chunk: Uint8Array | string): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

// Body parsers of frameworks return text, bytes or parsed JSON.
function bodyOf(parsed: unknown): Body {
  if (parsed instanceof Uint8Array) return parsed;
  return typeof parsed === 'string' ? new TextEncoder().encode(parsed) : { parsed };
}

/** `requestSender` over node:http and node:https, with reuse of connections (keep-alive). */

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Route, routeTo, withProxy } from '../../../client/node-proxy.ts';
import type { OutgoingRequest, RequestSender, ResponseHead, ResponseReader } from './sender.ts';

// Idle connections are closed after 3 s, before most servers close them, because a request on a closing connection fails. They
// are checked before a request, at most once per second: timeouts of the agent would take a fifth of each request's time.
const IDLE_MS = 3000;
const LOOK_EVERY_MS = 1000;
const STALE: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

export async function requestSender(origin: URL): Promise<RequestSender> {
  return new NodeSender(await routeTo(origin, true));
}

class NodeSender implements RequestSender {
  readonly #route: Route;
  readonly #freedAt = new WeakMap<Socket, number>();
  // Caches the path of the last URL, because nearly all requests have the same URL.
  #lastUrl: URL | undefined;
  #lastPath = '';
  #lookedAt = 0;

  constructor(route: Route) {
    this.#route = route;
    route.agent.on('free', (socket: Socket) => this.#freedAt.set(socket, Date.now()));
  }

  send(outgoing: OutgoingRequest, reader: ResponseReader): () => void {
    const again = outgoing.repeatable ? () => this.#write(outgoing) : undefined;
    const exchange = new NodeExchange(reader, again, this.#route.proxy);
    exchange.begin(this.#write(outgoing));
    return () => exchange.hangUp();
  }

  close(): void {
    this.#route.agent.destroy();
  }

  #write({ method, url, headers: given, body }: OutgoingRequest): ClientRequest {
    if (url !== this.#lastUrl) {
      this.#lastUrl = url;
      this.#lastPath = `${this.#route.base}${url.pathname}${url.search}`;
    }
    const now = Date.now();
    if (now - this.#lookedAt >= LOOK_EVERY_MS) this.#dropStale(now);
    const { agent, to, headers: added } = this.#route;
    const { protocol, hostname, port } = to;
    const path = this.#lastPath;
    const headers = added ? { ...given, ...added } : given;
    const request = this.#route.request({ protocol, hostname, port, agent, method, path, headers });
    // `end` with a body sends head and body in one write.
    request.end(body);
    return request;
  }

  #dropStale(now: number): void {
    this.#lookedAt = now;
    for (const sockets of Object.values(this.#route.agent.freeSockets)) {
      for (const socket of sockets ?? []) if (now - (this.#freedAt.get(socket) ?? 0) > IDLE_MS) socket.destroy();
    }
  }
}

class NodeExchange {
  readonly #reader: ResponseReader;
  readonly #again: (() => ClientRequest) | undefined;
  readonly #proxy: string | undefined;
  #request: ClientRequest | undefined;
  #isOver = false;

  constructor(reader: ResponseReader, again: (() => ClientRequest) | undefined, proxy: string | undefined) {
    this.#reader = reader;
    this.#again = again;
    this.#proxy = proxy;
  }

  begin(request: ClientRequest): void {
    this.#request = request;
    let hasResponse = false;
    request.on('response', (response) => {
      hasResponse = true;
      if (!this.#isOver) this.#read(response);
    });
    // The listener is never removed, because an `error` event without a listener would end the process.
    request.on('error', (error: Error & { code?: string }) => {
      // The server closed an idle connection at the moment of its reuse. The request is sent again on another connection.
      const isStale = request.reusedSocket && STALE.has(error.code ?? '') && !hasResponse;
      if (isStale && this.#again && !this.#isOver) this.begin(this.#again());
      else this.#fail(withProxy(error, this.#proxy));
    });
    // Node closes the connection without an error if the server answers with status 101 (Switching Protocols).
    request.on('close', () => {
      if (!hasResponse && request === this.#request && !this.#isOver) this.#fail(new Error('There was no response'));
    });
  }

  hangUp(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#request?.destroy();
  }

  #read(response: IncomingMessage): void {
    const { statusCode = 0, headers } = response;
    const head: ResponseHead = {
      status: statusCode,
      header(name) {
        const value = headers[name];
        return Array.isArray(value) ? value.join(', ') : value;
      },
    };
    // Set while the reader applies backpressure. The end of the response is reported after it.
    let busy: Promise<void> | undefined;
    const afterwards = (action: () => void): void => {
      if (busy) void busy.then(action);
      else action();
    };
    response.on('data', (chunk: Uint8Array) => {
      const reading = this.#isOver ? undefined : this.#reader.onChunk(chunk);
      if (!reading) return;
      response.pause();
      busy = reading.then(() => {
        busy = undefined;
        response.resume();
      });
    });
    response.on('end', () =>
      afterwards(() => {
        if (this.#isOver) return;
        this.#isOver = true;
        this.#reader.onEnd();
      }),
    );
    response.on('error', (error) => afterwards(() => this.#fail(error)));
    response.on('close', () => afterwards(() => this.#fail(new Error('The response was cut off'))));
    this.#reader.onHead(head);
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reader.onFail(error);
  }
}

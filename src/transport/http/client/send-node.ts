/** Requests over node:http and node:https, on connections that are kept open. */

import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import type { OutgoingRequest, RequestSender, ResponseHead, ResponseReader } from './sender.ts';

// Less than what most servers wait: a connection they are about to close is not used any more. It is looked for now and
// then; the agent's own clocks would cost a fifth of each request.
const IDLE_MS = 3000;
const LOOK_EVERY_MS = 1000;
const STALE: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

type Request = (options: RequestOptions) => ClientRequest;

/** Sends requests to the origin of this URL. */
export async function requestSender(origin: URL): Promise<RequestSender> {
  // TLS is loaded by those who need it.
  const { Agent, request } = origin.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new NodeSender(origin, new Agent({ keepAlive: true }), request);
}

class NodeSender implements RequestSender {
  readonly #agent: Agent;
  readonly #request: Request;
  readonly #origin: Pick<RequestOptions, 'protocol' | 'hostname' | 'port'>;
  readonly #freedAt = new WeakMap<Socket, number>();
  // Nearly every request goes to the same place.
  #lastUrl: URL | undefined;
  #lastPath = '';
  #lookedAt = 0;

  constructor(origin: URL, agent: Agent, request: Request) {
    const { protocol, hostname, port } = urlToHttpOptions(origin);
    this.#origin = { protocol, hostname, port };
    this.#agent = agent;
    this.#request = request;
    agent.on('free', (socket: Socket) => this.#freedAt.set(socket, Date.now()));
  }

  send(outgoing: OutgoingRequest, reader: ResponseReader): () => void {
    const exchange = new NodeExchange(reader, outgoing.repeatable ? () => this.#write(outgoing) : undefined);
    exchange.begin(this.#write(outgoing));
    return () => exchange.hangUp();
  }

  close(): void {
    this.#agent.destroy();
  }

  #write({ method, url, headers, body }: OutgoingRequest): ClientRequest {
    if (url !== this.#lastUrl) {
      this.#lastUrl = url;
      this.#lastPath = `${url.pathname}${url.search}`;
    }
    const now = Date.now();
    if (now - this.#lookedAt >= LOOK_EVERY_MS) this.#dropStale(now);
    const { protocol, hostname, port } = this.#origin;
    const [agent, path] = [this.#agent, this.#lastPath];
    const request = this.#request({ protocol, hostname, port, agent, method, path, headers });
    // Head and body leave in one write.
    request.end(body);
    return request;
  }

  #dropStale(now: number): void {
    this.#lookedAt = now;
    for (const sockets of Object.values(this.#agent.freeSockets)) {
      for (const socket of sockets ?? []) if (now - (this.#freedAt.get(socket) ?? 0) > IDLE_MS) socket.destroy();
    }
  }
}

class NodeExchange {
  readonly #reader: ResponseReader;
  readonly #again: (() => ClientRequest) | undefined;
  #request: ClientRequest | undefined;
  #isOver = false;

  constructor(reader: ResponseReader, again: (() => ClientRequest) | undefined) {
    this.#reader = reader;
    this.#again = again;
  }

  begin(request: ClientRequest): void {
    this.#request = request;
    let hasResponse = false;
    request.on('response', (response) => {
      hasResponse = true;
      if (!this.#isOver) this.#read(response);
    });
    // It stays for as long as the request lives: an error without a listener ends the process.
    request.on('error', (error: Error & { code?: string }) => {
      // The server closed an idle connection at the moment we used it: the next try gets another.
      const isStale = request.reusedSocket && STALE.has(error.code ?? '') && !hasResponse;
      if (isStale && this.#again && !this.#isOver) this.begin(this.#again());
      else this.#fail(error);
    });
    // Without an error that is what becomes of a server that wants to speak something else than HTTP.
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
    // What the reader is busy with; the end of the response is told behind it.
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

/** Plays transcripts over HTTP, through the face for Node and through the one for everything else. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { fetchHandler } from 'mcpp/fetch';
import { nodeHandler } from 'mcpp/http';
import { isRecord, type SchemaRevision } from '../oracle/definitions.ts';
import { Inbox } from './inbox.ts';
import type { Connection, Runner } from './play.ts';
import { makeServer } from './servers.ts';

/** A request on its way. */
interface Sent {
  readonly taken: Promise<unknown>;
  readonly answer: Promise<Response>;
  /** The server knows that it is over. */
  readonly over: Promise<unknown>;
}

/** A server to be reached by requests. */
interface Reached {
  /** Resolves `taken` when the server has begun with the request; the answer may come later. */
  fetch(init: RequestInit): Sent;
  close(): Promise<void>;
}

/** Over a socket, to `nodeHandler`. */
export const overNode: Runner = {
  name: 'http',
  open: async (name, revision) => new HttpConnection(await reachNode(name), revision),
};

/** Without one, to `fetchHandler`. */
export const overFetch: Runner = {
  name: 'fetch',
  open: async (name, revision) => new HttpConnection(reachFetch(name), revision),
};

async function reachNode(name: string): Promise<Reached> {
  const handler = nodeHandler(makeServer(name));
  const begun = new Map<string, () => void>();
  const ended = new Map<string, () => void>();
  const server = createServer((request, response) => {
    handler(request, response);
    const key = String(request.headers['x-request']);
    request.once('end', () => begun.get(key)?.());
    response.once('close', () => ended.get(key)?.());
    if (request.method !== 'POST') request.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  let last = 0;
  return {
    fetch(init) {
      const key = String(++last);
      const taken = new Promise<void>((resolve) => begun.set(key, resolve));
      const over = new Promise<void>((resolve) => ended.set(key, resolve));
      const headers = { ...(init.headers as Record<string, string>), 'x-request': key };
      return { taken, over, answer: fetch(url, { ...init, headers }) };
    },
    async close() {
      await handler.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

function reachFetch(name: string): Reached {
  const handler = fetchHandler(makeServer(name));
  return {
    fetch: (init) => {
      const answer = handler(new Request('http://localhost/mcp', init));
      // The body is there; reading it takes a few turns and no time.
      return { taken: setImmediate().then(() => setImmediate()), over: Promise.resolve(), answer };
    },
    close: () => handler.close(),
  };
}

const UNSAID: ReadonlySet<string> = new Set(['2024-11-05', '2025-03-26']);

class HttpConnection implements Connection {
  readonly #reached: Reached;
  readonly #revision: SchemaRevision;
  readonly #inbox = new Inbox();
  /** Requests that bring their own revision: hanging up is how one cancels them. */
  readonly #posts = new Map<unknown, { readonly hangUp: AbortController; readonly over: Promise<unknown> }>();
  readonly #over = new AbortController();
  #session: string | undefined;

  constructor(reached: Reached, revision: SchemaRevision) {
    this.#reached = reached;
    this.#revision = revision;
  }

  next(): Promise<unknown> {
    return this.#inbox.next();
  }

  async send(line: string): Promise<void> {
    const message = parsed(line);
    const claim = claimIn(message);
    const params = isRecord(message['params']) ? message['params'] : {};
    const isCall = message['id'] !== undefined || !('method' in message);
    const cancelled =
      message['method'] === 'notifications/cancelled' ? this.#posts.get(params['requestId']) : undefined;
    if (cancelled && !isCall) {
      cancelled.hangUp.abort();
      await cancelled.over;
      return;
    }
    const hangUp = new AbortController();
    const { taken, answer, over } = this.#reached.fetch({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(claim === undefined
          ? this.#sessionHeaders(message['method'] === 'initialize')
          : claimHeaders(claim, message, params)),
      },
      body: line,
      signal: AbortSignal.any([hangUp.signal, this.#over.signal]),
    });
    if (claim !== undefined) this.#posts.set(message['id'], { hangUp, over });
    // What a client is told of an answer or a notification of its own is for no call.
    const isAnswer = !('method' in message) && ('result' in message || 'error' in message);
    const read = answer.then((response) => this.#read(response, isCall && !isAnswer));
    read.catch(() => {});
    if (message['method'] === 'initialize') await read;
    await taken;
    if (message['method'] === 'notifications/initialized' && !isCall) await this.#listen();
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#reached.close();
  }

  #sessionHeaders(isHandshake = false): Record<string, string> {
    if (this.#session === undefined) {
      return this.#revision === '2026-07-28' && !isHandshake ? { 'mcp-protocol-version': this.#revision } : {};
    }
    const version = UNSAID.has(this.#revision) ? {} : { 'mcp-protocol-version': this.#revision };
    return { 'mcp-session-id': this.#session, ...version };
  }

  async #listen(): Promise<void> {
    const headers = { accept: 'text/event-stream', ...this.#sessionHeaders() };
    const { answer } = this.#reached.fetch({ method: 'GET', headers, signal: this.#over.signal });
    const response = await answer;
    this.#read(response, false).catch(() => {});
  }

  async #read(response: Response, isForUs: boolean): Promise<void> {
    this.#session = response.headers.get('mcp-session-id') ?? this.#session;
    if (response.headers.get('content-type') === 'text/event-stream') await this.#readEvents(response);
    else if (isForUs && response.headers.get('content-type') === 'application/json')
      this.#inbox.put(await response.json());
    else await response.arrayBuffer();
  }

  async #readEvents(response: Response): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^data: (.+)$/m.exec(text.slice(0, end))?.[1];
        text = text.slice(end + 2);
        if (data !== undefined) this.#inbox.put(JSON.parse(data));
      }
    }
  }
}

function parsed(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function claimIn({ params }: Record<string, unknown>): unknown {
  const meta = isRecord(params) && isRecord(params['_meta']) ? params['_meta'] : {};
  return meta['io.modelcontextprotocol/protocolVersion'];
}

function claimHeaders(
  claim: unknown,
  { method }: Record<string, unknown>,
  params: Record<string, unknown>,
): Record<string, string> {
  const name = params['name'] ?? params['uri'];
  return {
    'mcp-protocol-version': String(claim),
    'mcp-method': String(method),
    ...(typeof name === 'string' ? { 'mcp-name': `=?base64?${Buffer.from(name).toString('base64')}?=` } : {}),
  };
}

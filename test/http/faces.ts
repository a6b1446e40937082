/** Both faces of the HTTP server, asked in the same words. */

import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { fetchHandler } from 'mcpp/fetch';
import { type HttpOptions, nodeHandler } from 'mcpp/http';
import type { McpServer } from 'mcpp/server';
import { eventsIn, type ServerEvent } from './events.ts';
import { type Headers, initialize, notification, POST } from './messages.ts';

/** What is asked. */
export interface Ask {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: Headers;
  readonly body?: string | Uint8Array;
}

/** What came back, and goes on coming. */
export interface Answer {
  readonly status: number;
  header(name: string): string | undefined;
  /** All of the body. */
  text(): Promise<string>;
  json(): Promise<Record<string, unknown>>;
  /** The body's events, one by one; undefined when there are no more. */
  next(): Promise<ServerEvent | undefined>;
  /** The client goes away. */
  hangUp(): void;
}

/** A question on its way: a client may go away before there is an answer. */
export interface Asked {
  readonly answer: Promise<Answer>;
  hangUp(): void;
}

/** A server that can be reached. */
export interface Reached {
  readonly port: number;
  ask(ask: Ask): Asked;
  send(ask: Ask): Promise<Answer>;
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** A way in. */
export interface Face {
  readonly name: string;
  open(server: McpServer, options?: HttpOptions): Promise<Reached>;
}

/** Over a socket, to `nodeHandler`. */
export const node: Face = {
  name: 'node',
  async open(server, options) {
    const handler = nodeHandler(server, options);
    const http = createServer(handler);
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    const ask = (one: Ask): Asked => askNode(port, one);
    return {
      port,
      ask,
      send: (one) => ask(one).answer,
      async close(how) {
        await handler.close(how);
        // The last answers leave with the end of this turn.
        await setImmediate();
        http.close();
        http.closeAllConnections();
      },
    };
  },
};

/** Without one, to `fetchHandler`. */
export const web: Face = {
  name: 'fetch',
  async open(server, options) {
    const handler = fetchHandler(server, options);
    const ask = (one: Ask): Asked => askFetch(handler, one);
    return { port: 0, ask, send: (one) => ask(one).answer, close: (how) => handler.close(how) };
  },
};

/** Both, for `describe.each`. */
export const FACES: readonly Face[] = [node, web];

/** Sends one message. */
export function post(reached: Reached, message: unknown, headers: Headers = {}): Promise<Answer> {
  return reached.send({ headers: { ...POST, ...headers }, body: JSON.stringify(message) });
}

/** Opens a session, says that it is open, and gives the header fields that name it. */
export async function openSession(
  reached: Reached,
  { version = '2025-11-25', capabilities = {}, headers = {} }: OpenOptions = {},
): Promise<Headers> {
  const opened = await post(reached, initialize(version, capabilities), headers);
  await opened.text();
  const session = { ...headers, 'mcp-session-id': opened.header('mcp-session-id') ?? '' };
  const ready = await post(reached, notification('notifications/initialized'), session);
  if (ready.status !== 202) throw new Error(`notifications/initialized got ${ready.status}: ${await ready.text()}`);
  return session;
}

/** How a session is opened. */
export interface OpenOptions {
  readonly version?: string;
  readonly capabilities?: object;
  readonly headers?: Headers;
}

function askNode(port: number, { method = 'POST', target = '/mcp', headers = {}, body }: Ask): Asked {
  const request = sendRequest({ host: '127.0.0.1', port, method, path: target, headers, agent: false });
  request.on('error', () => {});
  const answer = new Promise<Answer>((resolve, reject) => {
    request.once('response', (response) => {
      const chunks = response[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
      const fields = response.headers;
      const header = (name: string): string | undefined => {
        const value = fields[name];
        return Array.isArray(value) ? value.join(', ') : value;
      };
      resolve(makeAnswer(response.statusCode ?? 0, header, chunks, () => request.destroy()));
    });
    request.once('close', () => reject(new Error('The connection was closed without an answer')));
  });
  answer.catch(() => {});
  request.end(body);
  return { answer, hangUp: () => request.destroy() };
}

function askFetch(
  handler: (request: Request) => Promise<Response>,
  { method = 'POST', target = '/mcp', headers = {}, body }: Ask,
): Asked {
  const hangUp = new AbortController();
  const { host = 'localhost', ...rest } = headers;
  const request = new Request(`http://${host}${target}`, {
    method,
    headers: rest,
    signal: hangUp.signal,
    ...(body === undefined ? {} : { body }),
  });
  const answer = handler(request).then((response) => {
    const reader = response.body?.getReader();
    const chunks: AsyncIterator<Uint8Array> = {
      next: async () => (await reader?.read()) as IteratorResult<Uint8Array>,
    };
    const none: AsyncIterator<Uint8Array> = { next: async () => ({ done: true, value: undefined }) };
    const header = (name: string): string | undefined => response.headers.get(name) ?? undefined;
    // Runtimes stop reading when the client goes away.
    return makeAnswer(response.status, header, reader ? chunks : none, () => void reader?.cancel().catch(() => {}));
  });
  answer.catch(() => {});
  return { answer, hangUp: () => hangUp.abort() };
}

function makeAnswer(
  status: number,
  header: (name: string) => string | undefined,
  chunks: AsyncIterator<Uint8Array>,
  hangUp: () => void,
): Answer {
  const events = eventsIn(chunks);
  const text = async (): Promise<string> => {
    const parts: Uint8Array[] = [];
    for (let part = await chunks.next(); !part.done; part = await chunks.next()) parts.push(part.value);
    return Buffer.concat(parts).toString();
  };
  return {
    status,
    header,
    text,
    json: async () => JSON.parse(await text()) as Record<string, unknown>,
    next: async () => (await events.next()).value ?? undefined,
    hangUp,
  };
}

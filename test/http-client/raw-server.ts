/** A server played by hand: every request is kept, and answered with exactly the bytes a test writes. */

import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { setImmediate } from 'node:timers';

/** A JSON-RPC message of the client's. */
export interface Posted {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** One request, and the means to answer it. */
export interface Visit {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly message: Posted;
  readonly response: ServerResponse;
  /** Resolves when the client hung up, or the response is complete. */
  readonly over: Promise<void>;
  /** One JSON body. */
  json(value: unknown, status?: number, headers?: Readonly<Record<string, string>>): void;
  /** The result of what was asked. */
  result(value: object, headers?: Readonly<Record<string, string>>): void;
  /** The error to what was asked. */
  error(code: number, data?: unknown, status?: number): void;
  /** A status and nothing else. */
  status(status: number, headers?: Readonly<Record<string, string>>): void;
  /** Begins a stream, or goes on with it: `data` objects become JSON. */
  event(fields: { id?: string; retry?: number; event?: string; data?: unknown }): void;
  /** What the answer is on a stream, as the data of an event. */
  answer(value: object): object;
}

/** What answers, by JSON-RPC method, or by HTTP method for what has none. */
export type Answers = Readonly<Record<string, (visit: Visit) => void>>;

/** A server that is listening. */
export interface RawServer {
  readonly url: string;
  readonly origin: string;
  readonly visits: Visit[];
  /** Requests with this method, of JSON-RPC or HTTP. */
  to(method: string): Visit[];
  /** How many connections are open. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

/** Waits for what comes over the network, in real time whatever the clocks of the test say. */
export async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

const open = new Set<() => Promise<void>>();

/** Ends every server, for `afterEach`. */
export async function closeAll(): Promise<void> {
  await Promise.all([...open].map((close) => close()));
  open.clear();
}

/** Starts a server. What nobody answers gets 404 if it is a request, and 202 if it is not. */
export async function rawServer(answers: Answers): Promise<RawServer> {
  const visits: Visit[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const message = text === '' ? {} : (JSON.parse(text) as Posted);
      const { method: verb = '', url: path = '', headers } = request;
      const visit = visitOf(verb, path, headers, message, response);
      visits.push(visit);
      const answer = answers[message.method ?? (verb === 'POST' ? 'response' : verb)];
      if (answer) answer(visit);
      else visit.status(verb !== 'POST' ? 405 : message.id === undefined || !message.method ? 202 : 404);
    });
  });
  const { port, close } = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    origin: `http://127.0.0.1:${port}`,
    visits,
    to: (method) => visits.filter((visit) => (visit.message.method ?? visit.method) === method),
    connections: () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))),
    close,
  };
}

/** A server that reads a whole request, writes these bytes, and ends or breaks the connection. */
export async function bytesServer(answer: (request: string) => { bytes: string; breaks: boolean }): Promise<string> {
  const server = createTcpServer((socket) => {
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString();
      const head = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (head === -1 || text.length < head + 4 + length) return;
      const { bytes, breaks } = answer(text);
      text = '';
      socket.write(bytes, () => (breaks ? socket.destroy() : socket.end()));
    });
  });
  const { port } = await listen(server);
  return `http://127.0.0.1:${port}/mcp`;
}

async function listen(server: Server | TcpServer): Promise<{ port: number; close: () => Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    open.delete(close);
    if ('closeAllConnections' in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  open.add(close);
  return { port: (server.address() as { port: number }).port, close };
}

function visitOf(
  method: string,
  path: string,
  headers: IncomingHttpHeaders,
  message: Posted,
  response: ServerResponse,
): Visit {
  const over = new Promise<void>((resolve) => response.on('close', resolve));
  const answer = (value: object): object => ({ jsonrpc: '2.0', id: message.id, result: value });
  const visit: Visit = {
    method,
    path,
    headers,
    message,
    response,
    over,
    answer,
    json(value, status = 200, more = {}) {
      response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(value));
    },
    result: (value, more) => visit.json(answer(value), 200, more),
    error(code, data, status = 200) {
      const error = { code, message: 'no', ...(data === undefined ? {} : { data }) };
      visit.json({ jsonrpc: '2.0', id: message.id, error }, status);
    },
    status(status, more = {}) {
      response.writeHead(status, more).end();
    },
    event({ id, retry, event, data }) {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      const text = data === undefined ? '' : typeof data === 'string' ? data : JSON.stringify(data);
      const lines = [
        ...(event === undefined ? [] : [`event: ${event}`]),
        ...(id === undefined ? [] : [`id: ${id}`]),
        ...(retry === undefined ? [] : [`retry: ${retry}`]),
        `data: ${text}`,
      ];
      response.write(`${lines.join('\n')}\n\n`);
    },
  };
  return visit;
}

const INFO = { name: 'raw', version: '1' };
const CAPABILITIES = { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {} };

/** How a server of 2026-07-28 introduces itself. */
export const stateless: Answers = {
  'server/discover': (visit) =>
    visit.result({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: CAPABILITIES,
      ttlMs: 0,
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': INFO },
    }),
};

/** How a server with sessions does, each with an id of its own: s1, s2 and so on. */
export function stateful(version = '2025-11-25', withId = true): Answers {
  let sessions = 0;
  return {
    'server/discover': (visit) => visit.error(-32601, undefined, 404),
    initialize: (visit) => {
      sessions++;
      visit.result(
        { protocolVersion: version, capabilities: CAPABILITIES, serverInfo: INFO },
        withId ? { 'mcp-session-id': `s${sessions}` } : {},
      );
    },
    DELETE: (visit) => visit.status(200),
  };
}

/** A tool without arguments. */
export const TOOL = { name: 'tool', inputSchema: { type: 'object' } };

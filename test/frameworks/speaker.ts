/** Speaks to a recipe's server in plain HTTP, by the name it has in production. */

import { request as httpRequest, type IncomingMessage } from 'node:http';

/** The name clients reach the server by, in every recipe. */
const HOST = 'mcp.example.com';

/** What is sent. */
export interface Sent {
  readonly method?: 'POST' | 'GET' | 'DELETE' | 'OPTIONS';
  /** Default: `/mcp`. */
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: unknown;
  /** The body as it is. */
  readonly body?: string;
}

/** What comes back. */
export interface Received {
  readonly status: number;
  readonly type: string | undefined;
  header(name: string): string | undefined;
  /** The body, once it is there as a whole. */
  json(): Promise<unknown>;
  /** The next message of an event stream; undefined when it has ended. */
  next(): Promise<unknown>;
  hangUp(): void;
}

/** Sends a request, and resolves when its answer begins. */
export function send(port: number, sent: Sent): Promise<Received> {
  const { method = 'POST', target = '/mcp', headers = {}, message, body } = sent;
  const text = body ?? (message === undefined ? undefined : JSON.stringify(message));
  const all = {
    host: HOST,
    accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
    ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path: target, method, headers: all, agent: false });
    request.on('error', reject);
    request.on('response', (response) => resolve(received(response, () => request.destroy())));
    request.end(text);
  });
}

function received(response: IncomingMessage, hangUp: () => void): Received {
  const header = (name: string): string | undefined => response.headers[name]?.toString();
  const messages = messagesOf(response);
  return {
    status: response.statusCode ?? 0,
    type: header('content-type'),
    header,
    async json() {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      return JSON.parse(text);
    },
    next: async () => (await messages.next()).value,
    hangUp,
  };
}

async function* messagesOf(response: IncomingMessage): AsyncGenerator<unknown, undefined> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.+)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A call of a tool in the newest revision. */
export function newestCall(name: string, args: object, meta: object = {}): Sent {
  return {
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
    message: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args, _meta: { ...META, ...meta } },
    },
  };
}

/** Opens a session of 2025-11-25; gives the header fields that requests in it have. */
export async function openSession(port: number): Promise<Record<string, string>> {
  const clientInfo = { name: 'raw', version: '1.0.0' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const opened = await send(port, { message: { jsonrpc: '2.0', id: 0, method: 'initialize', params } });
  const session = opened.header('mcp-session-id');
  if (session === undefined) throw new Error(`No session: ${JSON.stringify(await opened.json())}`);
  await opened.json();
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
  const ready = await send(port, { headers, message: { jsonrpc: '2.0', method: 'notifications/initialized' } });
  if (ready.status !== 202) throw new Error(`notifications/initialized got ${ready.status}`);
  return headers;
}

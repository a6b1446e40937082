/** HTTP requests as attackers and others send them. */

import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'attacker', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A caller is known by its address: each of these is one, on this machine. */
export const OTHER_CALLER = '127.0.0.2';

/** How a request is sent. */
export interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  /** The address it is sent from. */
  readonly from?: string;
}

/** A whole response. */
export interface Received {
  readonly status: number;
  readonly text: string;
  readonly session: string | undefined;
}

/** The body of a request of 2026-07-28. */
export function bodyOf(method: string, params: object = {}, id: number | string = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: META } });
}

/** The header fields of such a request. The name or a short URI is repeated in `Mcp-Name`, as the revision demands. */
export function headersOf(method: string, params: object = {}): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...('name' in params ? { 'mcp-name': String(params.name) } : {}),
    ...('uri' in params && String(params.uri).length < 4096 ? { 'mcp-name': String(params.uri) } : {}),
  };
}

/** Sends a request of 2026-07-28 and reads its whole response. */
export function post(port: number, method: string, params: object = {}, sending: Sending = {}): Promise<Received> {
  const headers = { ...headersOf(method, params), ...sending.headers };
  return send(port, bodyOf(method, params), { ...sending, headers });
}

/** Sends a body and reads the whole response. */
export function send(port: number, body: string, { headers = {}, from = '127.0.0.1' }: Sending): Promise<Received> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers, localAddress: from };
    const out = request(options, (response) => {
      const session = response.headers['mcp-session-id'] as string | undefined;
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text, session })).once('error', reject);
    });
    out.once('error', reject);
    out.end(body);
  });
}

/** The bytes of a request of 2026-07-28, for sending many on one connection. */
export function rawPost(method: string, params: object = {}, id: number | string = 1): string {
  const body = bodyOf(method, params, id);
  const fields = { host: 'localhost', ...headersOf(method, params), 'content-length': String(Buffer.byteLength(body)) };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${body}`;
}

/** A connection that sends these bytes and reads nothing until it is asked to. */
export async function connectAndSend(port: number, bytes: string, from = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress: from });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write(bytes);
  return socket;
}

/** Opens a session of 2025-11-25; undefined if there is no room for it. */
export async function openSession(port: number, from?: string): Promise<Record<string, string> | undefined> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'attacker', version: '1' } },
  });
  const { session } = await send(port, body, { headers, ...(from ? { from } : {}) });
  return session === undefined ? undefined : { ...headers, 'mcp-session-id': session };
}

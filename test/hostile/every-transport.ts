/** The same text sent to a server over each transport: everything that the server sends back, as text. */

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { fetchHandler } from 'mcpp/fetch';
import type { McpServer } from 'mcpp/server';
import { serveStdio } from 'mcpp/stdio';
import { serveWebSocket } from 'mcpp/websocket';
import { WebSocket } from 'ws';

/** Sends messages of 2026-07-28, and returns what was received until the server had answered and ended. */
export type Send = (server: McpServer, text: string) => Promise<readonly string[]>;

const overStdio: Send = async (server, text) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const serving = await serveStdio(server, { input, output, exit: false });
  input.end(`${text}\n`);
  await serving.closed;
  return linesOf(String(output.read() ?? ''));
};

const overHttp =
  (accept: string): Send =>
  async (server, text) => {
    const handle = fetchHandler(server, { hosts: 'any' });
    const headers = { 'content-type': 'application/json', accept, 'mcp-protocol-version': '2026-07-28' };
    const { method, params } = JSON.parse(text) as { method: string; params: { name?: string } };
    const named = params.name === undefined ? {} : { 'mcp-name': params.name };
    const response = await handle(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { ...headers, 'mcp-method': method, ...named },
        body: text,
      }),
    );
    const body = await response.text();
    await handle.close();
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    return isStream ? linesOf(body).flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : [])) : [body];
  };

const overWebSocket: Send = async (server, text) => {
  const serving = await serveWebSocket(server, { port: 0 });
  const socket = new WebSocket(serving.url, 'mcp');
  const received: string[] = [];
  socket.on('message', (data) => received.push(String(data)));
  await once(socket, 'open');
  socket.send(text);
  await once(socket, 'message');
  await serving.close();
  return received;
};

/** By name. */
export const TRANSPORTS: readonly (readonly [name: string, send: Send])[] = [
  ['stdio', overStdio],
  ['HTTP with JSON', overHttp('application/json, text/event-stream')],
  ['HTTP with SSE', overHttp('text/event-stream')],
  ['WebSocket', overWebSocket],
];

/** Sends a batch on 2025-03-26, the revision that has batches, and returns the batch that came back. */
export async function sendBatch(server: McpServer, messages: readonly string[]): Promise<unknown> {
  const params = '{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}';
  const initialize = `{"jsonrpc":"2.0","id":"open","method":"initialize","params":${params}}`;
  const received = await overStdio(server, `${initialize}\n[${messages.join(',')}]`);
  return JSON.parse(received.at(-1) ?? 'null');
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** Servers over HTTP, HTTP+SSE and WebSocket that send a megabyte of what a call names before they answer it. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { answerTo } from './flooding.mjs';
import { eventsOf, framesOf } from './floods.mjs';

interface Call {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly arguments?: { readonly flood?: string } };
}

export interface FloodingServers {
  readonly http: string;
  readonly sse: string;
  readonly websocket: string;
  close(): void;
}

export async function floodingServers(): Promise<FloodingServers> {
  let stream: ServerResponse | undefined;
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (request.url === '/sse' && request.method === 'GET') {
      stream = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages\n\n');
    } else if (request.method !== 'POST' || request.url === '/sse') response.writeHead(405).end();
    else if (request.url === '/messages') {
      stream?.write(eventsFor(JSON.parse(body)));
      response.writeHead(202).end();
    } else {
      const events = eventsFor(JSON.parse(body));
      if (events === '') response.writeHead(202).end();
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events);
    }
  });
  const sockets = new WebSocketServer({ server, path: '/ws' });
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => flood(socket, JSON.parse(String(data))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    http: `http://127.0.0.1:${port}/mcp`,
    sse: `http://127.0.0.1:${port}/sse`,
    websocket: `ws://127.0.0.1:${port}/ws`,
    close: () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
    },
  };
}

function eventsFor(call: Call): string {
  const answer = answerTo(call);
  const name = call.params?.arguments?.flood;
  return answer ? `${name === undefined ? '' : eventsOf(name)}data: ${JSON.stringify(answer)}\n\n` : '';
}

function flood(socket: WebSocket, call: Call): void {
  const answer = answerTo(call);
  const name = call.params?.arguments?.flood;
  const { _socket: raw } = socket as unknown as { readonly _socket: { write(bytes: Uint8Array): void } };
  if (name !== undefined) raw.write(framesOf(name, false));
  if (answer) socket.send(JSON.stringify(answer));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const piece of request.setEncoding('utf8')) body += piece;
  return body;
}

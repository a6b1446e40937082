/**
 * Version 1 of the official SDK over HTTP: `sessions`, which can be resumed; `json`, sessions whose answers are JSON,
 * never streams; `stateless`, a server for each request; `sse`, HTTP+SSE of 2024-11-05.
 */

import { createServer } from 'node:http';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { Events } from './event-store.mjs';
import { makeServer } from './sdk-v1.mjs';
import { serveSessions } from './sessions.mjs';
import { ACROSS_REQUESTS } from './words.mjs';

async function open(server, options) {
  const transport = new StreamableHTTPServerTransport(options);
  await server.connect(transport);
  return transport;
}

function serveStateless() {
  const options = { sessionIdGenerator: undefined };
  createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const transport = await open(makeServer({ without: ACROSS_REQUESTS }), options);
    response.once('close', () => transport.close());
    await transport.handleRequest(request, response);
  }).listen(0, '127.0.0.1');
}

function serveSse() {
  const transports = new Map();
  createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1');
    if (pathname === '/messages') {
      await transports.get(searchParams.get('sessionId'))?.handlePostMessage(request, response);
    } else if (request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response);
      transports.set(transport.sessionId, transport);
      await makeServer().connect(transport);
    } else response.writeHead(405).end();
  }).listen(0, '127.0.0.1');
}

const MODES = new Map([
  ['sessions', () => serveSessions((options) => open(makeServer(), { ...options, eventStore: new Events() }))],
  [
    'json',
    () =>
      serveSessions((options) =>
        open(makeServer({ without: ['count'], aside: true }), { ...options, enableJsonResponse: true }),
      ),
  ],
  ['stateless', serveStateless],
  ['sse', serveSse],
]);

MODES.get(process.argv[2])();

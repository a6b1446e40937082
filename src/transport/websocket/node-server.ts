/** Listens for WebSocket clients with an HTTP server of its own. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadEngine } from '../../schema/check/engine-loader.ts';
import type { ServerInternals } from '../../server/internals.ts';
import { guardOf, isLoopback } from '../http/server/guard.ts';
import { NO_SNIFFING } from '../http/server/http-exchange.ts';
import { metadataOf } from '../http/server/metadata.ts';
import { limitConnections } from '../http/server/node-connections.ts';
import { NodeExchange } from '../http/server/node-exchange.ts';
import { Handler, requestOf, type WebSocketHandler } from './node-handler.ts';
import type { Refusal } from './node-refusal.ts';
import type { ServeWebSocketOptions, WebSocketOptions, WebSocketServerHandle } from './options.ts';

const WEB_SOCKETS_ONLY: Refusal = {
  status: 426,
  message: 'This is an MCP server for WebSockets: connect with a client that speaks them',
  headers: { upgrade: 'websocket', connection: 'upgrade, close' },
};

/** Creates a handler for an existing HTTP server. */
export function makeHandler(server: ServerInternals, options: WebSocketOptions): WebSocketHandler {
  const handler = new Handler(server, options);
  // Reports a missing package `ws` at once, not with the first client.
  handler.ready.catch((error: unknown) => handler.report(error));
  return handler;
}

/** Resolves when clients can connect. */
export async function listen(server: ServerInternals, options: ServeWebSocketOptions): Promise<WebSocketServerHandle> {
  const { port = 3000, address = '127.0.0.1', path = '/mcp', hosts, auth } = options;
  if (!isLoopback(address) && hosts === undefined && auth === undefined) {
    throw new TypeError(
      `serveWebSocket: other machines can reach "${address}". Set "hosts" to the names this server is reached by, ` +
        'for instance hosts: ["mcp.example.com"], or set "auth"; or leave out "address"',
    );
  }
  if (!path.startsWith('/')) throw new TypeError('serveWebSocket: "path" must begin with "/"');
  await loadEngine();
  const handler = new Handler(server, options, path);
  await handler.ready;
  const http = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 });
  http.on('upgrade', handler.upgrade);
  limitConnections(http, 2 * handler.limits.connections);
  const guard = guardOf(options);
  const metadata = metadataOf(auth?.protectedResource, true);
  http.on('request', (message, response) => {
    const exchange = new NodeExchange(message, response);
    if (metadata?.isFor(exchange) && guard.refuseHost(exchange) === undefined) {
      metadata.answer(exchange);
      return;
    }
    const { status, message: text, headers } = handler.refusalOf(requestOf(message)) ?? WEB_SOCKETS_ONLY;
    response.writeHead(status, {
      ...NO_SNIFFING,
      connection: 'close',
      'content-type': 'text/plain; charset=utf-8',
      ...headers,
    });
    response.end(`${text}\n`);
  });
  http.listen(port, address);
  await once(http, 'listening');
  http.on('error', (error) => handler.report(error));

  let closed: Promise<void> | undefined;
  const close = async (how?: { readonly graceMs?: number }): Promise<void> => {
    const gone = once(http, 'close');
    http.close();
    await handler.close(how);
    http.closeAllConnections();
    await gone;
  };
  return {
    url: urlOf(http, address, path),
    close(how) {
      closed ??= close(how);
      return closed;
    },
  };
}

function urlOf(http: Server, address: string, path: string): string {
  const { port } = http.address() as AddressInfo;
  // Clients cannot connect to a wildcard address.
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : address;
  return `ws://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
}

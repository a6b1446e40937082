/** `serveHttp`: serves an MCP server with an HTTP server of its own. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KeysOf } from '../../../jsonrpc/known-options.ts';
import { loadEngine } from '../../../schema/check/engine-loader.ts';
import type { McpServer } from '../../../server/server.ts';
import { Endpoint } from './endpoint.ts';
import { isLoopback } from './guard.ts';
import { SharedClock } from './heartbeat.ts';
import { limitConnections } from './node-connections.ts';
import { handlerOf, type NodeHandler } from './node-handler.ts';
import { checkHttpOptions, HTTP_KEYS, type HttpOptions } from './options.ts';

/** Options of `serveHttp`. */
export interface ServeHttpOptions extends HttpOptions {
  /** TCP port; 0 selects a free port. Default: 3000. */
  readonly port?: number | undefined;
  /** Address to listen on. Default: 127.0.0.1, which only this machine can reach. */
  readonly address?: string | undefined;
  /** Path of the MCP endpoint. Default: `/mcp`. */
  readonly path?: string | undefined;
}

const KEYS: KeysOf<ServeHttpOptions> = { ...HTTP_KEYS, port: true, address: true, path: true };

/** A running HTTP server. */
export interface HttpServerHandle {
  /** URL of the MCP endpoint, with the address that the server listens on. */
  readonly url: string;
  readonly port: number;
  /** Refuses new requests, waits up to `graceMs` (default 0) for running ones, aborts the rest and stops listening. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

// Timeouts of Node's HTTP server, in milliseconds. `limits.bodyMs` ends slow bodies earlier. `keepAliveTimeout` exceeds the
// usual 60 s of load balancers: if the server closed an idle connection first, a POST in transit would get 502.
const PATIENCE = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5000,
};
// Milliseconds that clients have to read the last responses during `close`.
const FLUSH_MS = 500;

/** Starts an HTTP server for MCP. Resolves when the server listens, and rejects if it cannot. Prints nothing. */
export async function serveHttp(server: McpServer<unknown>, options: ServeHttpOptions = {}): Promise<HttpServerHandle> {
  const internals = checkHttpOptions('serveHttp', server, options, KEYS);
  const { port = 3000, address = '127.0.0.1', path = '/mcp', hosts, auth } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new TypeError('serveHttp: port must be 0 to 65535');
  if (!URL.canParse(path, 'http://x') || new URL(path, 'http://x').pathname !== path) {
    throw new TypeError('serveHttp: path must be a path as URLs have it, for instance "/mcp"');
  }
  if (!isLoopback(address) && hosts === undefined && !auth) {
    throw new TypeError(
      `serveHttp: ${address} can be reached by other machines. Say by which names with "hosts", for instance ` +
        `hosts: ["mcp.example.com"], or who may call with "auth"; without "address" only this machine can call.`,
    );
  }
  await loadEngine();
  const endpoint = new Endpoint(internals, options, path, SharedClock);
  const handler = handlerOf(endpoint);
  const http = createServer(PATIENCE, handler);
  limitConnections(http, endpoint.limits.connections);
  try {
    await endpoint.ready();
    await listen(http, port, address);
  } catch (error) {
    await endpoint.close();
    throw error;
  }
  // Without a listener, an `error` event would end the process.
  http.on('error', (error) => internals.report(error, { method: 'http' }));
  const bound = (http.address() as AddressInfo).port;
  const host = address.includes(':') ? `[${address}]` : address;
  return { url: `http://${host}:${bound}${path}`, port: bound, close: (how) => close(http, handler, how) };
}

function listen(http: Server, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException): void => reject(unheard(cause, port, address));
    http.once('error', onError);
    http.listen(port, address, () => {
      http.off('error', onError);
      resolve();
    });
  });
}

// Returns an error that says how to fix a common failure of `listen`; other errors are returned unchanged.
function unheard(cause: NodeJS.ErrnoException, port: number, address: string): Error {
  const reasons = new Map([
    ['EADDRINUSE', `port ${port} of ${address} is taken: pass another as "port", or 0 for any free one`],
    ['EACCES', `port ${port} needs more rights than this process has: pass one above 1023 as "port"`],
    ['EADDRNOTAVAIL', `this machine does not have the address ${address}`],
  ]);
  const reason = reasons.get(cause.code ?? '');
  return reason === undefined ? cause : new Error(`serveHttp: ${reason}`, { cause });
}

async function close(
  http: Server,
  handler: NodeHandler,
  how: { readonly graceMs?: number } | undefined,
): Promise<void> {
  // Until running requests have ended, the server still listens and new requests get 503.
  await handler.close(how);
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  // Connections become idle when their last responses have been sent.
  const idle = setInterval(() => http.closeIdleConnections(), 10);
  const late = setTimeout(() => http.closeAllConnections(), FLUSH_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}

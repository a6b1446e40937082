/** Serves a server over HTTP, with a server of Node's own. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Served } from '../../../server/served.ts';
import { Endpoint } from './endpoint.ts';
import { isLoopback } from './guard.ts';
import { handlerOf, type NodeHandler } from './node-handler.ts';
import type { HttpOptions } from './options.ts';

/** Options of `serveHttp`. */
export interface ServeHttpOptions extends HttpOptions {
  /** Default: 3000. 0 takes a free one. */
  readonly port?: number | undefined;
  /** The address to listen on. Default: 127.0.0.1, which only this machine can reach. */
  readonly address?: string | undefined;
  /** Where the endpoint is. Default: `/mcp`. */
  readonly path?: string | undefined;
}

/** A server that listens. */
export interface ServingHttp {
  /** Where clients find it. */
  readonly url: string;
  readonly port: number;
  /** Takes no new requests, gives running ones `graceMs` to end, aborts the rest and stops listening. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Listens until it is closed. Prints nothing. */
export async function serveHttp(server: Served, options: ServeHttpOptions = {}): Promise<ServingHttp> {
  const { port = 3000, address = '127.0.0.1', path = '/mcp', hosts, auth } = options;
  if (!path.startsWith('/')) throw new TypeError(`serveHttp: path must begin with "/"`);
  if (!isLoopback(address) && hosts === undefined && !auth) {
    throw new TypeError(
      `serveHttp: ${address} can be reached by other machines. Say by which names with "hosts", for instance ` +
        `hosts: ["mcp.example.com"], or who may call with "auth"; without "address" only this machine can call.`,
    );
  }
  const handler = handlerOf(new Endpoint(server, options, path));
  const http = createServer({ keepAliveTimeout: 60_000, headersTimeout: 10_000, requestTimeout: 60_000 }, handler);
  await listen(http, port, address);
  const bound = (http.address() as AddressInfo).port;
  const host = address.includes(':') ? `[${address}]` : address;
  return { url: `http://${host}:${bound}${path}`, port: bound, close: (how) => close(http, handler, how) };
}

function listen(http: Server, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, address, () => {
      http.off('error', reject);
      resolve();
    });
  });
}

async function close(
  http: Server,
  handler: NodeHandler,
  how: { readonly graceMs?: number } | undefined,
): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  await handler.close(how);
  http.closeAllConnections();
  await closed;
}

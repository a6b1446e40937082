/** `fetchHandler`: serves an MCP server with web-standard `Request` and `Response`. */

import type { McpServer } from '../../../server/server.ts';
import { Endpoint } from './endpoint.ts';
import { FetchExchange } from './fetch-exchange.ts';
import { checkHttpOptions, type HttpOptions } from './options.ts';

/** HTTP handler that serves MCP at every path for which it is called. */
export interface FetchHandler {
  /** Responds to one HTTP request. Never rejects. */
  (request: Request): Promise<Response>;
  /** Refuses new requests, waits up to `graceMs` (default 0) for running ones, aborts the rest and ends all streams. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Creates an HTTP handler for runtimes with web-standard requests, such as Deno, Bun and Cloudflare Workers. */
export function fetchHandler(server: McpServer<unknown>, options: HttpOptions = {}): FetchHandler {
  const endpoint = new Endpoint(checkHttpOptions('fetchHandler', server, options), options);
  const handle = (request: Request): Promise<Response> =>
    new Promise((resolve) => endpoint.handle(new FetchExchange(request, resolve)));
  return Object.assign(handle, { close: (how?: { readonly graceMs?: number }) => endpoint.close(how) });
}

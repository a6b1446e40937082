/** An endpoint as a function from `Request` to `Response`, for every runtime that has them. */

import type { McpServer } from '../../../server/server.ts';
import { Endpoint } from './endpoint.ts';
import { FetchExchange } from './fetch-exchange.ts';
import { checkHttpOptions, type HttpOptions } from './options.ts';

/** Answers requests, whatever their path is. */
export interface FetchHandler {
  /** Answers one request. */
  (request: Request): Promise<Response>;
  /** Takes no new requests, gives running ones `graceMs` to end, aborts the rest and ends every stream. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Serves a server wherever requests are answered with the web's own objects. */
export function fetchHandler(server: McpServer<unknown>, options: HttpOptions = {}): FetchHandler {
  const endpoint = new Endpoint(checkHttpOptions('fetchHandler', server, options), options);
  const handle = (request: Request): Promise<Response> =>
    new Promise((resolve) => endpoint.handle(new FetchExchange(request, resolve)));
  return Object.assign(handle, { close: (how?: { readonly graceMs?: number }) => endpoint.close(how) });
}

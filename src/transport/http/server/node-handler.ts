/** An endpoint as a function for Node's HTTP server, and for the frameworks built on it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Served } from '../../../server/served.ts';
import { Endpoint } from './endpoint.ts';
import { NodeExchange } from './node-exchange.ts';
import type { HttpOptions } from './options.ts';

/** Answers requests at whatever path it is mounted. `body` is for frameworks that have read it already. */
export interface NodeHandler {
  /** Answers one request. */
  (request: IncomingMessage, response: ServerResponse, body?: unknown): void;
  /** Takes no new requests, gives running ones `graceMs` to end, aborts the rest and ends every stream. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Serves a server at one path of an HTTP server of your own. */
export function nodeHandler(server: Served, options: HttpOptions = {}): NodeHandler {
  return handlerOf(new Endpoint(server, options));
}

/** The function for an endpoint. */
export function handlerOf(endpoint: Endpoint): NodeHandler {
  const handle = (request: IncomingMessage, response: ServerResponse, body?: unknown): void => {
    // Express passes `next` here, and leaves what its own parser made on the request.
    const given = typeof body === 'function' ? undefined : body;
    const isRead = request.readableEnded || request.complete;
    const parsed = given ?? (isRead ? (request as { body?: unknown }).body : undefined);
    endpoint.handle(new NodeExchange(request, response, parsed));
  };
  return Object.assign(handle, { close: (how?: { readonly graceMs?: number }) => endpoint.close(how) });
}

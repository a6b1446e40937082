/** An endpoint as a function for Node's HTTP server, and for the frameworks built on it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { loadEngine } from '../../../schema/check/engine-loader.ts';
import type { McpServer } from '../../../server/server.ts';
import { Endpoint } from './endpoint.ts';
import { SharedClock } from './heartbeat.ts';
import { NodeExchange } from './node-exchange.ts';
import { checkHttpOptions, type HttpOptions } from './options.ts';

/** Answers requests at whatever path it is mounted. `body` is for frameworks that have read it already. */
export interface NodeHandler {
  /** Answers one request. */
  (request: IncomingMessage, response: ServerResponse, body?: unknown): void;
  /** Takes no new requests, gives running ones `graceMs` to end, aborts the rest and ends every stream. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Serves a server at one path of an HTTP server of your own. */
export function nodeHandler(server: McpServer<unknown>, options: HttpOptions = {}): NodeHandler {
  const internals = checkHttpOptions('nodeHandler', server, options);
  const handler = handlerOf(new Endpoint(internals, options, undefined, SharedClock));
  // Requests that arrive while the engine is loading wait for it. The first call that needs the engine reports its error.
  let loading = loadEngine()?.then(loaded, loaded);
  function loaded(): void {
    loading = undefined;
  }
  const handle = (request: IncomingMessage, response: ServerResponse, body?: unknown): void => {
    if (loading) void loading.then(() => handler(request, response, body));
    else handler(request, response, body);
  };
  return Object.assign(handle, { close: handler.close });
}

/** The function for an endpoint. */
export function handlerOf(endpoint: Endpoint): NodeHandler {
  const handle = (request: IncomingMessage, response: ServerResponse, body?: unknown): void => {
    // Express passes `next` here, and its parsers leave on the request what they made of a body that they read.
    const left = request.readableEnded ? (request as { body?: unknown }).body : undefined;
    const parsed = body === undefined || typeof body === 'function' ? left : body;
    endpoint.handle(new NodeExchange(request, response, parsed));
  };
  return Object.assign(handle, { close: (how?: { readonly graceMs?: number }) => endpoint.close(how) });
}

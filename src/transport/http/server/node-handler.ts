/** `nodeHandler`: serves an MCP server through Node's HTTP server, or a framework based on it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { loadEngine } from '../../../schema/check/engine-loader.ts';
import type { McpServer } from '../../../server/server.ts';
import { Endpoint } from './endpoint.ts';
import { SharedClock } from './heartbeat.ts';
import { NodeExchange } from './node-exchange.ts';
import { checkHttpOptions, type HttpOptions } from './options.ts';

/** HTTP handler for Node that serves MCP at every path for which it is called. */
export interface NodeHandler {
  /** Responds to one HTTP request. `body` is the body, parsed or not, if a framework has already read it. */
  (request: IncomingMessage, response: ServerResponse, body?: unknown): void;
  /** Refuses new requests, waits up to `graceMs` (default 0) for running ones, aborts the rest and ends all streams. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Creates an HTTP handler for your own Node HTTP server, or for a framework such as Express. */
export function nodeHandler(server: McpServer<unknown>, options: HttpOptions = {}): NodeHandler {
  const internals = checkHttpOptions('nodeHandler', server, options);
  const handler = handlerOf(new Endpoint(internals, options, undefined, SharedClock));
  // Requests wait while the JSON Schema engine loads. If loading fails, the first call that needs the engine reports the error.
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

export function handlerOf(endpoint: Endpoint): NodeHandler {
  const handle = (request: IncomingMessage, response: ServerResponse, body?: unknown): void => {
    // Express passes `next` as third argument. Its body parsers store the parsed body in `request.body`.
    const left = request.readableEnded ? (request as { body?: unknown }).body : undefined;
    const parsed = body === undefined || typeof body === 'function' ? left : body;
    endpoint.handle(new NodeExchange(request, response, parsed));
  };
  return Object.assign(handle, { close: (how?: { readonly graceMs?: number }) => endpoint.close(how) });
}

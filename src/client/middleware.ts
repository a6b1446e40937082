/** Middleware of clients, for sent and received requests and notifications. */

import type { Params } from '../jsonrpc/message.ts';
import type { MiddlewareFunction } from '../jsonrpc/middleware.ts';

/** A request or notification, as passed to middleware. */
export interface ClientCall {
  /** `out`: sent by the client. `in`: sent by the server, including the input requests of multi round-trip requests. */
  readonly direction: 'out' | 'in';
  readonly kind: 'request' | 'notification';
  readonly method: string;
  readonly params: Params;
  /** The negotiated protocol revision. */
  readonly revision: string;
}

/**
 * Wraps a request or notification. `next()` continues and returns the result; `next({ ...call, params })` changes the params.
 * The returned value is the result, also if `next` is not called. A multi round-trip request passes once, cached results never.
 */
export type ClientMiddleware = MiddlewareFunction<ClientCall>;

/** Functions around everything that is sent and everything that arrives. */

import type { Params } from '../jsonrpc/message.ts';
import type { MiddlewareFunction } from '../jsonrpc/middleware.ts';

/** A request or a notification on its way. */
export interface ClientCall {
  /** `out` is what we send; `in` is what the server sends, questions in rounds included. */
  readonly direction: 'out' | 'in';
  readonly kind: 'request' | 'notification';
  readonly method: string;
  readonly params: Params;
  /** The revision spoken. */
  readonly revision: string;
}

/**
 * Wraps a call. `next()` goes on inwards and gives the result; `next({ ...call, params })` goes on with other params;
 * returning something else replaces the result, not calling `next` answers in its place. A call with questions goes
 * through it once, whatever number of rounds it takes; what comes from the cache does not.
 */
export type ClientMiddleware = MiddlewareFunction<ClientCall>;

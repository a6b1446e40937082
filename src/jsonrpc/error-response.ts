/** Error responses. */

import type { ParseError, RpcError } from './errors.ts';
import type { ErrorResponse, Id } from './message.ts';

/** The response that carries an error. `id` is undefined or null if the request's id could not be read. */
export function errorResponse(error: RpcError | ParseError, id?: Id | null): ErrorResponse {
  const object = error.toObject();
  return id === undefined ? { jsonrpc: '2.0', error: object } : { jsonrpc: '2.0', id, error: object };
}

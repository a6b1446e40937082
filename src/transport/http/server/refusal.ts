/** `Refusal`: an HTTP error response. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import type { Id } from '../../../jsonrpc/message.ts';
import type { Fields } from './http-exchange.ts';

/** HTTP error with a JSON-RPC error as body. Thrown while a request is handled; `Endpoint` catches and sends it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly error: RpcError;
  /** Id of the refused JSON-RPC request. Undefined: the HTTP request as a whole is refused. */
  readonly id: Id | null | undefined;
  readonly fields: Fields | undefined;

  /** `cause` goes to `onError` and is not sent. */
  constructor(status: number, error: RpcError | string, id?: Id | null, fields?: Fields, cause?: unknown) {
    super(typeof error === 'string' ? error : error.message, { cause });
    this.status = status;
    this.error = typeof error === 'string' ? RpcError.invalidRequest(error) : error;
    this.id = id;
    this.fields = fields;
  }
}

/** Returns a 503: a limit is reached, and the client can retry after a second. */
export function busy(message: string): Refusal {
  return new Refusal(503, RpcError.internal(message), undefined, { 'retry-after': '1' });
}

/** Returns the 503 of a closing server. `Connection: close` lets a retry reach another server. */
export function closing(): Refusal {
  const fields = { 'retry-after': '1', connection: 'close' };
  return new Refusal(503, RpcError.internal('The server is closing'), undefined, fields);
}

export function methodNotAllowed(allowed: string): Refusal {
  return new Refusal(405, `Method not allowed here; allowed: ${allowed}`, undefined, { allow: allowed });
}

/** An HTTP request that is not served, and what its sender is told. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import type { Id } from '../../../jsonrpc/message.ts';
import type { Fields } from './http-exchange.ts';

/** Thrown by whatever finds a reason, caught where requests come in. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly error: RpcError;
  /** The request it is about; without one it is about the HTTP request. */
  readonly id: Id | null | undefined;
  readonly fields: Fields | undefined;

  /** `cause` is reported, and not sent. */
  constructor(status: number, error: RpcError | string, id?: Id | null, fields?: Fields, cause?: unknown) {
    super(typeof error === 'string' ? error : error.message, { cause });
    this.status = status;
    this.error = typeof error === 'string' ? RpcError.invalidRequest(error) : error;
    this.id = id;
    this.fields = fields;
  }
}

/** There is no room for it now. */
export function busy(message: string): Refusal {
  return new Refusal(503, RpcError.internal(message), undefined, { 'retry-after': '1' });
}

/** There will be none any more: whoever asks again should find another server. */
export function closing(): Refusal {
  const fields = { 'retry-after': '1', connection: 'close' };
  return new Refusal(503, RpcError.internal('The server is closing'), undefined, fields);
}

/** The method is not one of those the endpoint has. */
export function methodNotAllowed(allowed: string): Refusal {
  return new Refusal(405, `Method not allowed here; allowed: ${allowed}`, undefined, { allow: allowed });
}

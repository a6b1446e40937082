/** A request that was let in, and the ways to answer it. */

import type { RpcError } from '../../../jsonrpc/errors.ts';
import { type ErrorResponse, type Id, serialize } from '../../../jsonrpc/message.ts';
import type { Principal } from '../../../protocol/principal.ts';
import type { Accept } from './accept.ts';
import type { Fields, HttpExchange, Outlet } from './http-exchange.ts';
import type { Refusal } from './refusal.ts';

/** Who is there, and what it takes. */
export interface Visit {
  readonly http: HttpExchange;
  readonly principal: Principal | undefined;
  /** Why it is refused whatever it asks for. */
  readonly lacking?: Refusal | undefined;
  readonly accept: Accept;
  /** What a browser has to be told in every answer. */
  readonly cors: Fields | undefined;
}

const JSON_TYPE: Fields = { 'content-type': 'application/json' };

/** Answers with JSON. */
export function replyJson(visit: Visit, status: number, json: string, fields?: Fields): void {
  reply(visit, status, fields ? { ...JSON_TYPE, ...fields } : JSON_TYPE, json);
}

/** Answers with the reason why not. */
export function refuse(visit: Visit, { status, error, id, fields }: Refusal): void {
  replyJson(visit, status, serialize(errorResponse(error, id)), fields);
}

/** Answers in one piece. */
export function reply({ http, cors }: Visit, status: number, fields: Fields, body?: string): void {
  http.reply(status, cors ? { ...fields, ...cors } : fields, body);
}

/** Answers with a stream. */
export function openStream({ http, cors }: Visit, fields: Fields): Outlet {
  return http.stream(cors ? { ...fields, ...cors } : fields);
}

/** An error as a message. */
export function errorResponse(error: RpcError, id?: Id | null): ErrorResponse {
  const object = error.toObject();
  return id === undefined ? { jsonrpc: '2.0', error: object } : { jsonrpc: '2.0', id, error: object };
}

/** `Visit`: an HTTP request with its caller, and the functions that respond to it. */

import { errorResponse } from '../../../jsonrpc/errors.ts';
import { serialize } from '../../../jsonrpc/message.ts';
import { type Principal, principalKey } from '../../../protocol/principal.ts';
import type { CallerRef } from '../../../server/limits/pool.ts';
import type { Accept } from './accept.ts';
import type { Fields, HttpExchange, Outlet } from './http-exchange.ts';
import { type Load, UNREAD } from './load.ts';
import { busy, type Refusal } from './refusal.ts';
import type { ResponseLog } from './response-log.ts';
import { UNCOUNTED_BYTES } from './unflushed.ts';

/** One HTTP request, with the media types that its client accepts and its authenticated caller. */
export class Visit implements CallerRef {
  readonly http: HttpExchange;
  readonly accept: Accept;
  /** CORS header fields of every response; undefined if the request has no `Origin` field, or a refused one. */
  readonly cors: Fields | undefined;
  readonly load: Load;
  principal: Principal | undefined;
  /** Set if the principal lacks scopes that every request requires: the refusal to send. */
  lacking: Refusal | undefined;
  /** Log entry of the response; undefined without the option `onResponse`. */
  log: ResponseLog | undefined;
  #caller: string | undefined;

  constructor(http: HttpExchange, accept: Accept, cors: Fields | undefined, load: Load) {
    this.http = http;
    this.accept = accept;
    this.cors = cors;
    this.load = load;
  }

  get caller(): string {
    this.#caller ??= this.principal ? principalKey(this.principal) : this.load.addressOf(this.http);
    return this.#caller;
  }
}

const JSON_TYPE: Fields = { 'content-type': 'application/json' };

export function replyJson(visit: Visit, status: number, json: string, fields?: Fields): void {
  reply(visit, status, fields ? { ...JSON_TYPE, ...fields } : JSON_TYPE, json);
}

/** Sends an HTTP error with a JSON-RPC error as body. */
export function refuse(visit: Visit, { status, error, id, fields }: Refusal): void {
  replyJson(visit, status, serialize(errorResponse(error, id)), fields);
}

/** Sends a complete response. A large body is replaced by a 503 if too many earlier response bytes are unread. */
export function reply(visit: Visit, status: number, fields: Fields, body?: string): void {
  const { http, cors, load } = visit;
  if (body !== undefined && body.length > UNCOUNTED_BYTES && !load.canSend(visit)) {
    refuse(visit, busy(UNREAD));
    return;
  }
  const left = http.reply(status, cors ? { ...fields, ...cors } : fields, body);
  visit.log?.write(http, visit.principal, status, false);
  if (left) load.unflushed.follow(left, visit, http.connection);
}

export function openStream({ http, cors, log, principal }: Visit, fields: Fields): Outlet {
  const outlet = http.stream(cors ? { ...fields, ...cors } : fields);
  log?.write(http, principal, 200, true);
  return outlet;
}

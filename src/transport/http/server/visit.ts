/** A request that was admitted, and the ways to answer it. */

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

/** Who is there, and what it takes. */
export class Visit implements CallerRef {
  readonly http: HttpExchange;
  readonly accept: Accept;
  /** What a browser has to be told in every answer. */
  readonly cors: Fields | undefined;
  readonly load: Load;
  principal: Principal | undefined;
  /** Why it is refused whatever it asks for. */
  lacking: Refusal | undefined;
  /** Where the answer is reported; undefined without the option "onResponse". */
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

/** Answers with JSON. */
export function replyJson(visit: Visit, status: number, json: string, fields?: Fields): void {
  reply(visit, status, fields ? { ...JSON_TYPE, ...fields } : JSON_TYPE, json);
}

/** Answers with the reason why not. */
export function refuse(visit: Visit, { status, error, id, fields }: Refusal): void {
  replyJson(visit, status, serialize(errorResponse(error, id)), fields);
}

/** Answers in one piece. A large body is replaced by 503 if the client does not read what it got before. */
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

/** Answers with a stream. */
export function openStream({ http, cors, log, principal }: Visit, fields: Fields): Outlet {
  const outlet = http.stream(cors ? { ...fields, ...cors } : fields);
  log?.write(http, principal, 200, true);
  return outlet;
}

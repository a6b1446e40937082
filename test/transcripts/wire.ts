/** What goes over one connection: each message with the revision it speaks, checked against that revision's schema. */

import { isRecord, SCHEMA_REVISIONS, type SchemaRevision, type Side } from '../oracle/definitions.ts';
import { schemaFault } from '../oracle/oracle.ts';

/** A message that was sent or received. */
export interface Entry {
  readonly from: Side;
  readonly revision: SchemaRevision;
  readonly message: unknown;
  /** The request it answers, if it is an answer. */
  readonly answered: Request | undefined;
}

/** A request, as far as its answer is concerned. */
export interface Request {
  readonly method: string;
  readonly revision: SchemaRevision;
}

/** The record of one connection. */
export class Wire {
  readonly entries: Entry[] = [];
  readonly #spoken: SchemaRevision;
  readonly #own: ReadonlySet<string>;
  readonly #requests = { client: new Map<unknown, Request>(), server: new Map<unknown, Request>() };
  readonly #tokens = new Map<unknown, SchemaRevision>();
  readonly #asked = new Map<string, string>();
  #session: SchemaRevision | undefined;

  /** `spoken` is what messages mean that do not say it, before there is a session. */
  constructor(spoken: SchemaRevision, own: ReadonlySet<string>) {
    this.#spoken = spoken;
    this.#own = own;
  }

  /** Takes a message down; says what the schema of its revision has against it. */
  take(from: Side, message: unknown): string | undefined {
    const revision = this.#revisionOf(from, Array.isArray(message) ? message[0] : message);
    const other = from === 'client' ? 'server' : 'client';
    const fault = schemaFault(revision, message, {
      from,
      own: this.#own,
      answers: (id) => this.#requests[other].get(id)?.method,
      asked: (key) => this.#asked.get(key),
    });
    for (const one of Array.isArray(message) ? message : [message]) this.#note(from, revision, one);
    if (Array.isArray(message)) this.entries.push({ from, revision, message, answered: undefined });
    return fault && `${fault} [${revision}]`;
  }

  #note(from: Side, revision: SchemaRevision, message: unknown): void {
    if (!isRecord(message)) return;
    const { id, method, params, result } = message;
    const answered = method === undefined ? this.#requests[from === 'client' ? 'server' : 'client'].get(id) : undefined;
    this.entries.push({ from, revision, message, answered });
    if (typeof method === 'string' && id !== undefined) {
      this.#requests[from].set(id, { method, revision });
      const token = isRecord(params) && isRecord(params['_meta']) ? params['_meta']['progressToken'] : undefined;
      if (token !== undefined) this.#tokens.set(token, revision);
    }
    if (!isRecord(result)) return;
    if (answered?.method === 'initialize') this.#session = revision;
    for (const [key, question] of Object.entries(isRecord(result['inputRequests']) ? result['inputRequests'] : {})) {
      if (isRecord(question)) this.#asked.set(key, String(question['method']));
    }
  }

  #revisionOf(from: Side, message: unknown): SchemaRevision {
    if (!isRecord(message)) return this.#session ?? this.#spoken;
    const { method, id, params } = message;
    if (method === undefined) return this.#revisionOfAnswer(from, message);
    const meta = isRecord(params) && isRecord(params['_meta']) ? params['_meta'] : {};
    if (from === 'server') return this.#revisionOfNotice(method, isRecord(params) ? params : {}, meta);
    if ('io.modelcontextprotocol/protocolVersion' in meta) return '2026-07-28';
    if (method === 'initialize' && id !== undefined)
      return known(isRecord(params) ? params['protocolVersion'] : undefined);
    return this.#session ?? this.#spoken;
  }

  #revisionOfAnswer(from: Side, { id, result }: Record<string, unknown>): SchemaRevision {
    const request = this.#requests[from === 'client' ? 'server' : 'client'].get(id);
    if (request?.method === 'initialize' && isRecord(result)) return known(result['protocolVersion']);
    // Before a session is open nothing is agreed on, and errors are written as in the newest revision.
    return request?.revision ?? this.#session ?? '2026-07-28';
  }

  #revisionOfNotice(method: unknown, params: Record<string, unknown>, meta: Record<string, unknown>): SchemaRevision {
    if ('io.modelcontextprotocol/subscriptionId' in meta) return '2026-07-28';
    const byToken = method === 'notifications/progress' ? this.#tokens.get(params['progressToken']) : undefined;
    // A server cancels its own requests, and in stateless revisions a subscription of the client's.
    const byId = method === 'notifications/cancelled' ? this.#requests.client.get(params['requestId']) : undefined;
    if (byId?.method === 'subscriptions/listen') return byId.revision;
    return byToken ?? this.#session ?? '2026-07-28';
  }
}

function known(version: unknown): SchemaRevision {
  const revision = SCHEMA_REVISIONS.find((one) => one === version && one !== '2026-07-28');
  return revision ?? '2025-11-25';
}

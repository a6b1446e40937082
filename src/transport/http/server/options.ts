/** What an HTTP endpoint can be told. */

import { JSON_LIMITS, type JsonLimits } from '../../../jsonrpc/json/json-limits.ts';
import { checkOptions, type KeysOf } from '../../../jsonrpc/known-options.ts';
import type { Id, Response } from '../../../jsonrpc/message.ts';
import type { Authenticate, HttpRequest } from '../../../protocol/http/authenticate.ts';
import type { Session } from '../../../protocol/session.ts';
import { internalsOf, type ServerInternals } from '../../../server/internals.ts';
import { type EventStore, memoryEventStore } from '../../../store/event-store.ts';
import { memorySessionBus, type SessionBus } from '../../../store/session-bus.ts';
import { DEFAULT_IDLE_MS, type SessionStore } from '../../../store/session-store.ts';
import { timerMs } from '../../../timing/timer-range.ts';
import type { GuardOptions } from './guard.ts';
import type { OnResponse } from './response-log.ts';

/** Options of every HTTP face; none is needed on the machine itself. */
export interface HttpOptions extends GuardOptions {
  /** Says who is calling. Without it nobody is asked, and only this machine is let in. */
  readonly auth?: Authenticate | undefined;
  /**
   * Sessions of clients of revisions up to 2025-11-25. `false` serves those without sessions: no input requests, change
   * notifications, subscriptions or log messages, and none are declared. Default: kept in memory.
   */
  readonly sessions?: boolean | SessionOptions | undefined;
  /** Serves the HTTP+SSE transport of 2024-11-05 at the same URL, too. Default: false. */
  readonly sse?: boolean | undefined;
  /** Shows people who open the URL in a browser what it is. Default: true. */
  readonly page?: boolean | undefined;
  /** Milliseconds after which a stream that has nothing to say shows that it is alive. Default: 15 s. */
  readonly keepAliveMs?: number | undefined;
  /**
   * Milliseconds after which a call's event stream is ended and its client told to come back for the rest, where the
   * revision has that (2025-11-25). For hosts that limit how long a request may take. Default: never.
   */
  readonly maxStreamMs?: number | undefined;
  /** Milliseconds after which a client that lost its stream comes back. Default: 1 s. */
  readonly retryMs?: number | undefined;
  /**
   * Gives the address of the client, for servers behind a proxy, for instance from `X-Forwarded-For`. It is used for nothing
   * but the share of a caller without a principal. Trust only what your own proxy sets. Default: the connection's address.
   */
  readonly clientAddress?: ((request: HttpRequest) => string | undefined) | undefined;
  /**
   * Called with each answer when its head is sent, for access logs: refusals (401, 403, 404, 406, 413, 429, 503 and others)
   * included, event streams when they open. What it throws goes to `onError`. Not called for requests that Node refuses
   * itself (a malformed head, too many connections), nor if the client hung up before the answer. Default: none.
   */
  readonly onResponse?: OnResponse | undefined;
  readonly limits?: Partial<HttpLimits> | undefined;
}

/** Where sessions are kept, and for how long. */
export interface SessionOptions {
  /** Milliseconds without use after which a session ends. Default: 30 minutes. */
  readonly idleMs?: number | undefined;
  /**
   * How many there may be in memory. Beyond it the longest idle one of the caller who has most gives way; if all are in use,
   * there is 503. Default: 10,000.
   */
  readonly max?: number | undefined;
  /** Default: memory. */
  readonly store?: SessionStore<SessionRecord> | undefined;
  /** What lost streams are resumed from. Default: memory, 32 MiB. */
  readonly events?: EventStore | undefined;
  /** How nodes that share sessions reach each other. Default: memory, for one node. */
  readonly bus?: SessionBus<SessionMessage> | undefined;
}

/** The part of a session that does not change: JSON. */
export interface SessionRecord {
  /** The session as `initialize` opened it. */
  readonly session: Session;
  /** Whose it is. */
  readonly principal: string;
  /** Whose share of the server it uses: the principal, else the address of the client that opened it. */
  readonly caller: string;
  /** Bytes that are counted for it while it is in memory. */
  readonly bytes: number;
}

/** A message between nodes about one session, as JSON. */
export type SessionMessage =
  /** The client's response to an input request, for the node whose call waits for it. */
  | { readonly type: 'response'; readonly response: Response }
  /** The client's response to this input request cannot be read. */
  | { readonly type: 'malformed'; readonly id: Id; readonly message: string }
  /** The client cancelled a request, for every node. */
  | { readonly type: 'cancelled'; readonly requestId: unknown; readonly reason: unknown }
  /** The client reads this stream at the node `by` from now on, for the other nodes. */
  | { readonly type: 'resumed'; readonly stream: string; readonly by: string }
  /**
   * Whether the message is taken shows whether the node is there. A node that has no reader of this GET stream marks it as
   * unread in the store.
   */
  | { readonly type: 'ping'; readonly stream?: string | undefined }
  /** The session is over, for every node. */
  | { readonly type: 'ended' };

/** Bounds of what clients can make an endpoint do. */
export interface HttpLimits extends JsonLimits {
  /** Bytes of all bodies that arrive in pieces; beyond it requests get 503. Default: 64 MiB. */
  readonly bodiesBytes: number;
  /** Bytes of a body; more gets 413. Default: 4 MiB. */
  readonly bodyBytes: number;
  /** Milliseconds a body may take; a slower one gets 408. Default: 30 s. */
  readonly bodyMs: number;
  /** Requests being worked on at the same time; then there is 503. Default: 10,000. */
  readonly running: number;
  /** Requests of one connection being worked on at the same time; beyond it requests get 503. Default: 100. */
  readonly inFlightPerConnection: number;
  /** Connections of `serveHttp`; others are closed at once. Default: 10,000. */
  readonly connections: number;
  /** Streams that stay open to tell of changes; then there is 503. Default: 10,000. */
  readonly streams: number;
  /** Bytes a client may leave unread: then its stream is cut, and other requests on its connection get 503. Default: 4 MiB. */
  readonly unreadBytes: number;
  /** Milliseconds after which a client is disconnected that takes nothing of what waits for it. Default: 10 s. */
  readonly slowReaderMs: number;
}

const DEFAULT_LIMITS: HttpLimits = {
  ...JSON_LIMITS,
  bodiesBytes: 64 * 1024 * 1024,
  bodyBytes: 4 * 1024 * 1024,
  bodyMs: 30_000,
  running: 10_000,
  inFlightPerConnection: 100,
  connections: 10_000,
  streams: 10_000,
  unreadBytes: 4 * 1024 * 1024,
  slowReaderMs: 10_000,
};

/** The keys of the options of every HTTP face. */
export const HTTP_KEYS: KeysOf<HttpOptions> = {
  hosts: true,
  origins: true,
  auth: true,
  sessions: true,
  sse: true,
  page: true,
  keepAliveMs: true,
  maxStreamMs: true,
  retryMs: true,
  clientAddress: true,
  onResponse: true,
  limits: true,
};

const SESSION_KEYS: KeysOf<SessionOptions> = { idleMs: true, max: true, store: true, events: true, bus: true };

const LISTENING = new Map([
  ['host', 'address'],
  ['hostname', 'address'],
  ['endpoint', 'path'],
]);

/** The internals of the server. Throws a `TypeError` if there is no server, or for unknown options; `where` is the function. */
export function checkHttpOptions(
  where: string,
  server: unknown,
  options: HttpOptions,
  known: object = HTTP_KEYS,
): ServerInternals {
  const internals = internalsOf(where, server);
  checkOptions(where, options, known, [], 'address' in known ? LISTENING : undefined);
  checkOptions(`${where}: limits`, options.limits, DEFAULT_LIMITS);
  if (typeof options.sessions !== 'boolean') checkOptions(`${where}: sessions`, options.sessions, SESSION_KEYS);
  return internals;
}

/** Where what belongs to sessions is kept. */
export interface SessionStores {
  /** Milliseconds after which a session that is not used may be gone. */
  readonly idleMs: number;
  readonly max: number | undefined;
  /** Undefined: sessions are kept in memory. */
  readonly store: SessionStore<SessionRecord> | undefined;
  readonly events: EventStore;
  readonly bus: SessionBus<SessionMessage>;
}

/** The options with all defaults filled in. */
export interface Settings {
  readonly auth: Authenticate | undefined;
  /** Undefined: older revisions are served without sessions. */
  readonly sessions: SessionStores | undefined;
  readonly sse: boolean;
  readonly page: boolean;
  readonly keepAliveMs: number;
  readonly maxStreamMs: number;
  readonly retryMs: number;
  readonly limits: HttpLimits;
  readonly onResponse: OnResponse | undefined;
}

/** Fills in the defaults; refuses what cannot be meant. */
export function settingsOf(options: HttpOptions): Settings {
  const { sessions = true, limits = {} } = options;
  for (const name of ['keepAliveMs', 'maxStreamMs', 'retryMs'] as const) positive(name, options[name]);
  for (const [name, limit] of Object.entries(limits)) positive(`limits.${name}`, limit);
  return {
    auth: options.auth,
    sessions: sessions === false ? undefined : storesOf(sessions === true ? {} : sessions),
    sse: options.sse === true,
    page: options.page !== false,
    keepAliveMs: timerMs(options.keepAliveMs ?? 15_000),
    maxStreamMs: options.maxStreamMs ?? Number.POSITIVE_INFINITY,
    retryMs: Math.ceil(timerMs(options.retryMs ?? 1000)),
    limits: limitsOf(limits),
    onResponse: checkedListener(options.onResponse),
  };
}

function checkedListener(onResponse: OnResponse | undefined): OnResponse | undefined {
  if (onResponse === undefined || typeof onResponse === 'function') return onResponse;
  throw new TypeError('onResponse must be a function: it is called with each answer');
}

function limitsOf(wanted: Partial<HttpLimits>): HttpLimits {
  const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  const limits = { ...DEFAULT_LIMITS, ...given };
  return { ...limits, bodyMs: timerMs(limits.bodyMs), slowReaderMs: timerMs(limits.slowReaderMs) };
}

function storesOf({ idleMs, max, store, events, bus }: SessionOptions): SessionStores {
  positive('sessions.idleMs', idleMs);
  positive('sessions.max', max);
  return {
    idleMs: idleMs ?? DEFAULT_IDLE_MS,
    max,
    store,
    events: events ?? memoryEventStore(),
    bus: bus ?? memorySessionBus(),
  };
}

function positive(name: string, value: unknown): void {
  if (value !== undefined && !(typeof value === 'number' && value > 0)) {
    throw new TypeError(`${name} must be a positive number`);
  }
}

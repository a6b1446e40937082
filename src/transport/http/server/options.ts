/** Options of HTTP endpoints: types, validation and defaults. */

import { JSON_LIMITS, type JsonLimits } from '../../../jsonrpc/json/message-limits.ts';
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

/** Options of `serveHttp`, `nodeHandler` and `fetchHandler`. All are optional for a server that only this machine calls. */
export interface HttpOptions extends GuardOptions {
  /** Authenticates requests. Default: no authentication, and unless `hosts` is set only loopback hosts are accepted. */
  readonly auth?: Authenticate | undefined;
  /**
   * Sessions of clients up to revision 2025-11-25. Default: in memory. `false` serves these clients without sessions, and
   * therefore without input requests, change notifications, subscriptions and log messages.
   */
  readonly sessions?: boolean | SessionOptions | undefined;
  /** Also serves the HTTP+SSE transport of 2024-11-05 at the same URL. Default: false. */
  readonly sse?: boolean | undefined;
  /** Shows a page about the server to browsers that open the URL. Default: true. */
  readonly page?: boolean | undefined;
  /** Keep-alive interval of idle SSE streams, in milliseconds. Default: 15,000. */
  readonly keepAliveMs?: number | undefined;
  /**
   * Time after which a call's SSE stream is closed, in milliseconds, for hosts that limit the duration of requests. The client
   * reconnects with `Last-Event-ID` (2025-11-25 only). Default: no limit.
   */
  readonly maxStreamMs?: number | undefined;
  /** Delay after which clients reconnect a lost SSE stream, in milliseconds (SSE field `retry`, 2025-11-25). Default: 1,000. */
  readonly retryMs?: number | undefined;
  /**
   * Returns the client's address, for servers behind a proxy, for instance from `X-Forwarded-For`. Used only for the limits of
   * callers without a principal. Trust only fields that your own proxy sets. Default: the remote address of the connection.
   */
  readonly clientAddress?: ((request: HttpRequest) => string | undefined) | undefined;
  /**
   * Called when the head of a response is sent, for access logs; also for refused requests, and for SSE streams when they open.
   * Errors that it throws go to `onError`. Not called for requests that Node itself refuses (malformed head, too many
   * connections), nor for stateless requests whose client disconnects before the response. Default: none.
   */
  readonly onResponse?: OnResponse | undefined;
  readonly limits?: Partial<HttpLimits> | undefined;
}

/** Storage and lifetime of sessions. */
export interface SessionOptions {
  /** Time without use after which a session expires, in milliseconds. Should equal that of `store`. Default: 30 minutes. */
  readonly idleMs?: number | undefined;
  /**
   * Maximum number of sessions in memory. A further session evicts the longest idle one of the caller with the most sessions;
   * if all of those are in use, `initialize` gets 503. Default: 10,000.
   */
  readonly max?: number | undefined;
  /** Session store, which all nodes of a server share. Default: in memory. */
  readonly store?: SessionStore<SessionRecord> | undefined;
  /** Event store, from which clients resume SSE streams. Default: in memory, at most 32 MiB. */
  readonly events?: EventStore | undefined;
  /** Session bus between the nodes of a server. Default: in memory, for one node. */
  readonly bus?: SessionBus<SessionMessage> | undefined;
}

/** The immutable part of a stored session, as JSON. */
export interface SessionRecord {
  /** The session as `initialize` created it. */
  readonly session: Session;
  /** Key of the principal that opened the session; empty without authentication. */
  readonly principal: string;
  /** Key for per-caller limits: the principal's key, else the address of the client that opened the session. */
  readonly caller: string;
  /** Estimated memory of the session in the memory store, in bytes. */
  readonly bytes: number;
}

/** A message about one session that nodes send each other over the session bus, as JSON. */
export type SessionMessage =
  /** The client's response to an input request, for the node whose call waits for it. */
  | { readonly type: 'response'; readonly response: Response }
  /** The client's response to the input request `id` is malformed. */
  | { readonly type: 'malformed'; readonly id: Id; readonly message: string }
  /** The client cancelled a request. Sent to all nodes. */
  | { readonly type: 'cancelled'; readonly requestId: unknown; readonly reason: unknown }
  /** The client now reads `stream` on the node `by`. Other nodes close the stream. */
  | { readonly type: 'resumed'; readonly stream: string; readonly by: string }
  /** Pings a node: delivery shows that it is alive. The node marks the GET stream `stream` as unread if no client reads it. */
  | { readonly type: 'ping'; readonly stream?: string | undefined }
  /** The session has ended. Sent to all nodes. */
  | { readonly type: 'ended' };

/** Limits on what clients can use of an HTTP endpoint. */
export interface HttpLimits extends JsonLimits {
  /** Maximum size of all request bodies being received, in bytes. Requests beyond it get 503. Default: 64 MiB. */
  readonly bodiesBytes: number;
  /** Maximum size of one request body, in bytes. Larger bodies get 413. Default: 4 MiB. */
  readonly bodyBytes: number;
  /** Maximum time to receive a request body, in milliseconds. Slower bodies get 408. Default: 30,000. */
  readonly bodyMs: number;
  /** Maximum number of running requests. Further requests get 503. Default: 10,000. */
  readonly running: number;
  /** Maximum number of running requests on one connection. Further requests get 503. Default: 100. */
  readonly inFlightPerConnection: number;
  /** Maximum number of connections to `serveHttp`. Further connections are closed at once. Default: 10,000. */
  readonly connections: number;
  /** Maximum number of long-lived streams, such as those for change notifications. Further streams get 503. Default: 10,000. */
  readonly streams: number;
  /** Maximum unread response bytes of a client. Beyond it, SSE streams are cut and requests get 503. Default: 4 MiB. */
  readonly unreadBytes: number;
  /** Milliseconds after which a client that reads no pending bytes is disconnected (slow consumer). Default: 10,000. */
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

/** Returns the server's internals. Throws a `TypeError`, whose message starts with `where`, for a wrong server or option. */
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

/** `SessionOptions` with all defaults filled in. */
export interface SessionStores {
  readonly idleMs: number;
  readonly max: number | undefined;
  /** Undefined: sessions are stored in memory. */
  readonly store: SessionStore<SessionRecord> | undefined;
  readonly events: EventStore;
  readonly bus: SessionBus<SessionMessage>;
}

/** `HttpOptions` with all defaults filled in. */
export interface Settings {
  readonly auth: Authenticate | undefined;
  /** Undefined: stateful revisions are served without sessions. */
  readonly sessions: SessionStores | undefined;
  readonly sse: boolean;
  readonly page: boolean;
  readonly keepAliveMs: number;
  readonly maxStreamMs: number;
  readonly retryMs: number;
  readonly limits: HttpLimits;
  readonly onResponse: OnResponse | undefined;
}

/** Fills in the defaults. Throws a `TypeError` for invalid values. */
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

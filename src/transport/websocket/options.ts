/** What serving over WebSockets can be told. */

import { JSON_LIMITS, type JsonLimits } from '../../jsonrpc/json/json-limits.ts';
import { checkOptions, type KeysOf } from '../../jsonrpc/known-options.ts';
import type { Authenticate, HttpRequest } from '../../protocol/http/authenticate.ts';
import { internalsOf, type ServerInternals } from '../../server/internals.ts';
import type { GuardOptions } from '../http/server/guard.ts';

/** Options of every WebSocket server; none is needed on the machine itself. */
export interface WebSocketOptions extends GuardOptions {
  /** Says who is calling, from the opening request. Without it nobody is asked, and only this machine is let in. */
  readonly auth?: Authenticate | undefined;
  /** Milliseconds between pings; a client that answers none of two is dropped. Default: 15 s. */
  readonly keepAliveMs?: number | undefined;
  /**
   * Gives the address of the client, for servers behind a proxy, for instance from `X-Forwarded-For`. It is used for nothing
   * but the share of a caller. Trust only what your own proxy sets. Default: the connection's address.
   */
  readonly clientAddress?: ((request: HttpRequest) => string | undefined) | undefined;
  readonly limits?: Partial<WebSocketLimits> | undefined;
}

/** Options of `serveWebSocket`. */
export interface ServeWebSocketOptions extends WebSocketOptions {
  /** Default: 3000; 0 is any that is free. */
  readonly port?: number | undefined;
  /** Which of the machine's addresses. Default: 127.0.0.1, which only this machine can reach. */
  readonly address?: string | undefined;
  /** Default: `/mcp`. */
  readonly path?: string | undefined;
}

/** Bounds of what clients can make a WebSocket server do. */
export interface WebSocketLimits extends JsonLimits {
  /** Bytes of one message; a longer one ends the connection with 1009. Default: 4 MiB. */
  readonly messageBytes: number;
  /** Connections at the same time; then there is 503. Default: 1,000. */
  readonly connections: number;
  /** Bytes a client may leave unread before it is dropped. Default: 16 MiB. */
  readonly unreadBytes: number;
  /** Milliseconds after which a client is dropped that takes nothing of what waits for it. Default: 10 s. */
  readonly slowReaderMs: number;
}

/** A server that listens for WebSockets. */
export interface WebSocketServerHandle {
  /** Where clients find it. */
  readonly url: string;
  /**
   * Lets nobody in any more, gives running calls `graceMs` (default: 0) to end, aborts the rest, and says goodbye to
   * every client.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** The options that have defaults, filled in. */
export interface WebSocketSettings {
  readonly keepAliveMs: number;
  readonly limits: WebSocketLimits;
}

const DEFAULT_LIMITS: WebSocketLimits = {
  ...JSON_LIMITS,
  messageBytes: 4 * 1024 * 1024,
  connections: 1000,
  unreadBytes: 16 * 1024 * 1024,
  slowReaderMs: 10_000,
};

const KEYS: KeysOf<WebSocketOptions> = {
  hosts: true,
  origins: true,
  auth: true,
  keepAliveMs: true,
  clientAddress: true,
  limits: true,
};
const SERVE_KEYS: KeysOf<ServeWebSocketOptions> = { ...KEYS, port: true, address: true, path: true };

/** The internals of the server. Throws a `TypeError` if there is no server, or for unknown options; `where` is the function. */
export function checkWebSocketOptions(
  where: 'webSocketHandler' | 'serveWebSocket',
  server: unknown,
  options: WebSocketOptions,
): ServerInternals {
  const internals = internalsOf(where, server);
  checkOptions(where, options, where === 'serveWebSocket' ? SERVE_KEYS : KEYS);
  checkOptions(`${where}: limits`, options.limits, DEFAULT_LIMITS);
  return internals;
}

/** Fills in the defaults; refuses what cannot be meant. */
export function settingsOf({ keepAliveMs = 15_000, limits = {} }: WebSocketOptions): WebSocketSettings {
  const given = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  for (const [name, value] of [
    ['keepAliveMs', keepAliveMs] as const,
    ...given.map(([n, v]) => [`limits.${n}`, v] as const),
  ]) {
    if (!(typeof value === 'number' && value > 0)) throw new TypeError(`${name} must be a positive number`);
  }
  return { keepAliveMs, limits: { ...DEFAULT_LIMITS, ...Object.fromEntries(given) } };
}

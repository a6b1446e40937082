/** Options and limits of WebSocket servers. */

import { JSON_LIMITS, type JsonLimits } from '../../jsonrpc/json/message-limits.ts';
import { checkOptions, type KeysOf } from '../../jsonrpc/known-options.ts';
import type { Authenticate, HttpRequest } from '../../protocol/http/authenticate.ts';
import { internalsOf, type ServerInternals } from '../../server/internals.ts';
import type { GuardOptions } from '../http/server/guard.ts';

/** Options of `webSocketHandler` and `serveWebSocket`. */
export interface WebSocketOptions extends GuardOptions {
  /** Authenticates clients by their opening handshake. Default: no authentication; `hosts` then defaults to loopback names. */
  readonly auth?: Authenticate | undefined;
  /** Interval of pings, in milliseconds. A client that answers neither of two pings is disconnected. Default: 15 000. */
  readonly keepAliveMs?: number | undefined;
  /**
   * Returns the client's address for servers behind a proxy, for instance from `X-Forwarded-For`. Used only for limits per
   * caller. Must use only header fields that your own proxy sets. Default: the address of the connection.
   */
  readonly clientAddress?: ((request: HttpRequest) => string | undefined) | undefined;
  readonly limits?: Partial<WebSocketLimits> | undefined;
}

/** Options of `serveWebSocket`. */
export interface ServeWebSocketOptions extends WebSocketOptions {
  /** Port to listen on; 0 selects a free port. Default: 3000. */
  readonly port?: number | undefined;
  /** Local address to listen on. Default: 127.0.0.1, which only this machine can reach. */
  readonly address?: string | undefined;
  /** Path of the endpoint. Default: `/mcp`. */
  readonly path?: string | undefined;
}

/** Limits of a WebSocket server. */
export interface WebSocketLimits extends JsonLimits {
  /** Maximum size of a received message, in bytes. A larger one closes the connection with code 1009. Default: 4 MiB. */
  readonly messageBytes: number;
  /** Maximum number of open connections. Further clients get status 503. Default: 1,000. */
  readonly connections: number;
  /** Maximum bytes that wait for a client that does not read. Above it, the client is disconnected. Default: 16 MiB. */
  readonly unreadBytes: number;
  /** Time after which a client that reads none of its waiting messages is disconnected, in milliseconds. Default: 10 000. */
  readonly slowReaderMs: number;
}

/** A listening WebSocket server. */
export interface WebSocketServerHandle {
  /** URL for clients. */
  readonly url: string;
  /** Stops listening, aborts running calls after `graceMs` milliseconds (default: 0), and closes all connections. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Options that have defaults, with the defaults applied. */
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

/** Returns the internals of the server. Throws a `TypeError` if `server` is not an `McpServer`, or for unknown options. */
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

/** Applies the defaults. Throws a `TypeError` for a value that is not a positive number. */
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

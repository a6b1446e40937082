/** `ServeOptions` and `ServedConnection`: options of `serve`, and the connection that `serve` returns. */

import { checkOptions, type KeysOf } from '../../jsonrpc/known-options.ts';
import type { Principal } from '../../protocol/principal.ts';
import type { Session } from '../../protocol/session.ts';
import type { RunningCalls } from '../limits/usage.ts';

/** A connection that `serve` has opened, to close it or to wait until the client closes it. */
export interface ServedConnection {
  /** Resolves when either side has closed the connection. */
  readonly closed: Promise<void>;
  /** Refuses new requests, aborts running requests after `graceMs` milliseconds (default: 0), and disconnects. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** `ServedConnection` with further members for the transport that carries the connection. */
export interface TransportConnection extends ServedConnection {
  /** Principal of the next messages. A transport that authenticates each message (HTTP+SSE) sets it before each message. */
  principal: Principal | undefined;
  readonly session: Session | undefined;
  /** Refuses new requests with the message `reason`, ends subscriptions, and disconnects after the last running request. */
  retire(reason: string): Promise<void>;
}

/** Last argument of `serve` and `McpServer.connectInProcess`, which throw a `TypeError` for an unknown option. */
export interface ServeOptions {
  /** Authenticated principal of the client. Default: none. */
  readonly principal?: Principal | undefined;
  /**
   * True if the client owns this process, for example as its parent. Without a principal, such a client is exempt from scope
   * checks; other clients are refused everything that requires scopes. Default: false for `serve`, true for `connectInProcess`.
   */
  readonly ownsProcess?: boolean;
  /** For tests: runs handlers again after each input response on every revision, to find side effects that happen twice. */
  readonly forceReruns?: boolean;
}

export interface ConnectionOptions {
  readonly principal?: Principal | undefined;
  /** True if the client is exempt from scope checks, because it owns this process (stdio, in-process). Default: false. */
  readonly trusted?: boolean;
  readonly forceReruns?: boolean;
  /** Key under which limits count the calls and memory of the connection. Default: the key of the principal. */
  readonly caller?: string | undefined;
  /** Counts the running calls of all connections of the transport, per caller. Default: not counted. */
  readonly running?: RunningCalls | undefined;
}

const KEYS: KeysOf<ServeOptions> = { principal: true, ownsProcess: true, forceReruns: true };

/** Checks the options of `serve` and `connectInProcess`. The `TypeError` for an unknown option begins with `where`. */
export function connectionOptions(
  where: string,
  options: ServeOptions,
  defaults: ServeOptions = {},
): ConnectionOptions {
  checkOptions(where, options, KEYS);
  const { principal, ownsProcess = false, forceReruns = false } = { ...defaults, ...options };
  return { principal, trusted: ownsProcess && !principal, forceReruns };
}

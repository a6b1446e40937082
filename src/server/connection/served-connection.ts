/** Options and interfaces of connections that a server serves. */

import type { Principal } from '../../protocol/principal.ts';
import type { Session } from '../../protocol/session.ts';
import type { RunningCalls } from '../limits/usage.ts';

/** A connection that is being served, as `serve` returns it. */
export interface ServedConnection {
  /** Resolves when the connection has ended, whichever side closed it. */
  readonly closed: Promise<void>;
  /** Refuses new requests, aborts those that still run after `graceMs` milliseconds (default: 0), and disconnects. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** A served connection whose transport authenticates each message separately, such as HTTP+SSE. */
export interface TransportConnection extends ServedConnection {
  /** The principal of the messages that arrive next. The transport sets it before each message. */
  principal: Principal | undefined;
  readonly session: Session | undefined;
  /**
   * Refuses new requests with `reason` as the error message, ends subscriptions, and disconnects when all running requests have
   * ended. If `close` is called meanwhile, it does not wait for them.
   */
  retire(reason: string): Promise<void>;
}

/** Options of `serve`. */
export interface ServeOptions {
  /** The authenticated principal of the peer. Default: none. */
  readonly principal?: Principal | undefined;
  /**
   * True if the peer owns this process, like a client that started it as its child. A peer without a principal is then exempt
   * from scope checks; otherwise it is refused everything that requires scopes. Default: false; in-process: true.
   */
  readonly ownsProcess?: boolean;
  /** Runs handlers again after each input response, on every revision: tests find side effects that happen twice. */
  readonly forceReruns?: boolean;
}

/** Options of `serveConnection`, for transports. */
export interface ConnectionOptions {
  readonly principal?: Principal | undefined;
  /** True if the peer is exempt from scope checks, because it owns this process (stdio, in-process). Default: false. */
  readonly trusted?: boolean;
  readonly forceReruns?: boolean;
  /** Key of the caller whose share of the server's limits the connection uses. Default: the key of the principal. */
  readonly caller?: string | undefined;
  /** Counts the running calls of all connections of the transport together. Default: no such count. */
  readonly running?: RunningCalls | undefined;
}

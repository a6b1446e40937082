/** Options and handles of served connections. */

import type { Principal } from '../../protocol/principal.ts';
import type { Session } from '../../protocol/session.ts';
import type { RunningCalls } from '../limits/usage.ts';

/** A connection being served. */
export interface ServedConnection {
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  /** Refuses new requests, aborts those still running after `graceMs` (default: 0), and disconnects. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** A served connection whose transport authenticates each message, such as HTTP+SSE. */
export interface TransportConnection extends ServedConnection {
  /** The principal of the messages that arrive next. Set by the transport before each message. */
  principal: Principal | undefined;
  readonly session: Session | undefined;
  /**
   * Refuses new requests with `reason` as the error message, ends subscriptions, and disconnects when all running requests
   * have ended. A later `close` does not wait for them.
   */
  retire(reason: string): Promise<void>;
}

/** Options of `serve`. */
export interface ServeOptions {
  /** The authenticated principal of the peer, if the transport knows it. */
  readonly principal?: Principal | undefined;
  /**
   * True if the peer owns this process, like a client that started it as its child: without a principal, no scopes are required. If
   * false, a peer without a principal is refused everything that requires scopes. Default: false; in-process: true.
   */
  readonly ownsProcess?: boolean;
  /** Runs handlers again after each input response on every revision, so that tests find side effects that happen twice. */
  readonly forceReruns?: boolean;
}

/** Options of a connection. */
export interface ConnectionOptions {
  readonly principal?: Principal | undefined;
  /** True if the peer is exempt from scope checks, because it owns this process (stdio, in-process). Default: false. */
  readonly trusted?: boolean;
  readonly forceReruns?: boolean;
  /** The caller whose share of the server's limits the connection uses. Default: the principal. */
  readonly caller?: string | undefined;
  /** Counts the running calls of all connections of the transport. */
  readonly running?: RunningCalls | undefined;
}

/** Options and handles of served connections. */

import type { Principal } from '../../protocol/principal.ts';
import type { Session } from '../../protocol/session.ts';
import type { RunningCalls } from '../limits/usage.ts';

/** A connection being served. */
export interface ServedConnection {
  /** Settles when the connection has ended. */
  readonly closed: Promise<void>;
  /** Takes no new requests, gives running ones `graceMs` to end, aborts the rest and disconnects. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** A connection being served, as those see it who authenticate each message. */
export interface TransportConnection extends ServedConnection {
  /** Who sends what arrives from now on. */
  principal: Principal | undefined;
  readonly session: Session | undefined;
  /**
   * Takes no new requests and ends what only listens, for a reason that is told; disconnects when everything that runs
   * has ended. Whoever calls `close` meanwhile does not wait for that.
   */
  retire(reason: string): Promise<void>;
}

/** Options of `serve`. */
export interface ServeOptions {
  /** Who is at the other end, if the transport knows. */
  readonly principal?: Principal | undefined;
  /**
   * Who is at the other end owns this process, as with a program that was started for its client: if there is no
   * principal, no scopes are asked for. Without it, what needs scopes is refused to those who are not known.
   */
  readonly ownsProcess?: boolean;
  /** Runs handlers again after each answer on every revision, so that tests find side effects that happen twice. */
  readonly forceReruns?: boolean;
}

/** Options of a connection. */
export interface ConnectionOptions {
  readonly principal?: Principal | undefined;
  /** The peer owns this process (stdio, in-process): no scopes are required. Default: false. */
  readonly trusted?: boolean;
  readonly forceReruns?: boolean;
  /** Whose share of the server the connection uses. Default: the principal's. */
  readonly caller?: string | undefined;
  readonly running?: RunningCalls | undefined;
}

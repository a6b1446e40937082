/** What is known of a connection that is being served. */

import type { Principal } from '../protocol/principal.ts';
import type { Session } from '../protocol/session.ts';

/** A connection being served. */
export interface Serving {
  /** Settles when the connection has ended. */
  readonly closed: Promise<void>;
  /** Takes no new requests, gives running ones `graceMs` to end, aborts the rest and disconnects. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** A connection being served, as those see it who authenticate each message. */
export interface ServedLine extends Serving {
  /** Who sends what arrives from now on. */
  principal: Principal | undefined;
  readonly session: Session | undefined;
  /**
   * Takes no new requests and ends what only listens, for a reason that is told; disconnects when everything that runs
   * has ended. Whoever calls `close` meanwhile does not wait for that.
   */
  retire(reason: string): Promise<void>;
}

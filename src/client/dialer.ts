/** A way to a server, which can be gone again if the server is lost. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Transport } from '../jsonrpc/transport.ts';

/** Whom a transport is made for. */
export interface DialHost {
  /** Aborts when the connection is closed for good. */
  readonly signal: AbortSignal;
  /** A person has to do something now, and clocks stand still, until the returned function is called. */
  pauseTimeouts(): () => void;
  /** Somebody signed in: what is known from before may be somebody else's. */
  onSignIn(): void;
}

/** Makes transports to one server. */
export interface Dialer {
  /** How errors name the server. */
  readonly name: string;
  /** Equal for dialers that lead to the same server; undefined if nothing can be said about that. */
  readonly key: string | undefined;
  /** Whether there can be a second transport when the first has ended. */
  readonly isRepeatable: boolean;
  /**
   * True if each request is answered by itself, with a status: then silence says nothing of the revision a server speaks,
   * and a request that fails nothing of the server.
   */
  readonly isHttp: boolean;
  /** A transport that is not connected yet. */
  dial(host: DialHost): Promise<Transport>;
  /** Likewise, of the kind that servers of the first revision have, where that is another. */
  dialOld?(host: DialHost): Promise<Transport>;
}

/** The way over a transport that somebody made: it can be gone once. */
export function dialerOf(transport: Transport): Dialer {
  let used = false;
  return {
    name: 'the server',
    key: undefined,
    isRepeatable: false,
    isHttp: transport.isRequestScoped === true,
    async dial() {
      if (used) throw new ConnectionError('closed', 'The transport has ended and cannot be connected again');
      used = true;
      return transport;
    },
  };
}

/** A way to a server, which can be gone again if the server is lost. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Transport } from '../jsonrpc/transport.ts';

/** Makes transports to one server. */
export interface Dialer {
  /** How errors name the server. */
  readonly name: string;
  /** Equal for dialers that lead to the same server; undefined if nothing can be said about that. */
  readonly key: string | undefined;
  /** Whether there can be a second transport when the first has ended. */
  readonly isRepeatable: boolean;
  /** A transport that is not connected yet. */
  dial(): Promise<Transport>;
}

/** The way over a transport that somebody made: it can be gone once. */
export function dialerOf(transport: Transport): Dialer {
  let used = false;
  return {
    name: 'the server',
    key: undefined,
    isRepeatable: false,
    async dial() {
      if (used) throw new ConnectionError('closed', 'The transport has ended and cannot be connected again');
      used = true;
      return transport;
    },
  };
}

/** `Dialer`: creates the transports to one server, also for reconnects. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Transport } from '../jsonrpc/transport.ts';

export interface DialHost {
  /** Aborts when the connection is closed and will not reconnect. */
  readonly signal: AbortSignal;
  /** Pauses all timeouts while the user has to act, for instance to sign in, until the returned function is called. */
  pauseTimeouts(): () => void;
  /** Called after a sign-in, because cached data can belong to another user. */
  onSignIn(): void;
}

export interface Dialer {
  /** Name of the server in error messages. */
  readonly name: string;
  /** Key of the server in the cache of server profiles. Undefined: the profile is not cached. */
  readonly key: string | undefined;
  /** True if a second transport can be created after the first has ended. */
  readonly isRepeatable: boolean;
  /** True for HTTP, where each request gets a response with a status. The handshake then has no probe timeout. */
  readonly isHttp: boolean;
  /** Creates a transport, not yet connected. */
  dial(host: DialHost): Promise<Transport>;
  /** Creates an HTTP+SSE transport, for servers of revision 2024-11-05. Undefined for targets other than URLs. */
  dialOld?(host: DialHost): Promise<Transport>;
}

/** Returns a dialer for an existing transport, which can be connected only once. */
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

/** Serves a server over any transport. */

import { checkOptions, type KeysOf } from '../jsonrpc/known-options.ts';
import { later } from '../jsonrpc/later.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { Principal } from '../protocol/principal.ts';
import { connectLine, serveOwner } from './connect-line.ts';
import { checkServed, type Served } from './served.ts';
import type { Serving } from './serving.ts';

const anybody = later(() => import('./serve-anybody.ts'));

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

const KEYS: KeysOf<ServeOptions> = { principal: true, ownsProcess: true, forceReruns: true };

function checkTransport(transport: unknown): void {
  if (typeof transport === 'object' && transport !== null && 'connect' in transport && 'send' in transport) return;
  throw new TypeError(
    'serve needs a transport as its second argument, an object with connect() and send(). To listen at a port use ' +
      'serveHttp(server, { port }) of mcpp/http, to be started by a client serveStdio(server) of mcpp/stdio',
  );
}

/** Serves one connection, over any transport. */
export async function serve(server: Served, transport: Transport, options: ServeOptions = {}): Promise<Serving> {
  checkServed('serve', server);
  checkTransport(transport);
  checkOptions('serve', options, KEYS);
  const { principal, ownsProcess = false, forceReruns = false } = options;
  if (ownsProcess && !principal) return serveOwner(server, transport, forceReruns);
  const prepared = Promise.resolve(server['~parts'].preparation.end());
  const scopeRefusal = prepared.then(() => anybody.use(({ admit }) => admit(principal)));
  return connectLine(server, transport, { principal, forceReruns, scopeRefusal });
}

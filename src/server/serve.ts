/** Serves a server over any transport. */

import { checkOptions, type KeysOf } from '../jsonrpc/known-options.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { Principal } from '../protocol/principal.ts';
import { checkPrincipal } from '../protocol/principal-check.ts';
import { engineLoading } from '../schema/check/engine-loader.ts';
import type { LineOptions } from './line-options.ts';
import { checkServed, type Served } from './served.ts';
import { ServedConnection } from './served-connection.ts';
import type { ServedLine, Serving } from './serving.ts';

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
  // No message arrives before the engine for raw schemas is there, if a tool needs it.
  const loading = engineLoading();
  if (loading) await loading;
  if (ownsProcess && !principal) return serveTrusted(server, transport, forceReruns);
  return serveUntrusted(server, transport, principal, { forceReruns });
}

/** Serves the owner of this process, as a program does that its client started: no scopes are required. */
export async function serveTrusted(server: Served, transport: Transport, forceReruns = false): Promise<ServedLine> {
  return serveConnection(server['~parts'].owned, transport, { principal: undefined, forceReruns });
}

/** Serves a connection whose principal may change with each message. */
export async function serveUntrusted(
  server: Served,
  transport: Transport,
  principal: Principal | undefined,
  options: Partial<LineOptions> = {},
): Promise<ServedLine> {
  if (principal) checkPrincipal(principal, 'serve');
  return serveConnection(server, transport, { forceReruns: false, ...options, principal });
}

async function serveConnection(server: Served, transport: Transport, options: LineOptions): Promise<ServedLine> {
  const connection = new ServedConnection(server, transport, options);
  await transport.connect(connection);
  return connection;
}

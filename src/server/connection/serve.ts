/** `serve`: serves one connection of a server over any transport. */

import { checkOptions, type KeysOf } from '../../jsonrpc/known-options.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { engineLoading } from '../../schema/check/engine-loader.ts';
import { internalsOf } from '../internals.ts';
import type { McpServer } from '../server.ts';
import { serveConnection } from './connection.ts';
import type { ServedConnection, ServeOptions } from './served-connection.ts';

const KEYS: KeysOf<ServeOptions> = { principal: true, ownsProcess: true, forceReruns: true };

function checkTransport(transport: unknown): void {
  if (typeof transport === 'object' && transport !== null && 'connect' in transport && 'send' in transport) return;
  throw new TypeError(
    'serve needs a transport as its second argument, an object with connect() and send(). To listen on a port, use ' +
      'serveHttp(server, { port }) of mcpp/http; for a program that clients start, serveStdio(server) of mcpp/stdio',
  );
}

/** Serves one connection over any transport. Resolves when the transport is connected. */
export async function serve(
  server: McpServer<unknown>,
  transport: Transport,
  options: ServeOptions = {},
): Promise<ServedConnection> {
  const internals = internalsOf('serve', server);
  checkTransport(transport);
  checkOptions('serve', options, KEYS);
  const { principal, ownsProcess = false, forceReruns = false } = options;
  // If a tool needs the JSON Schema engine, it is loaded before the first message is received. Otherwise calls that wait for it
  // would be overtaken by later ones.
  const loading = engineLoading();
  if (loading) await loading;
  return serveConnection(internals, transport, { principal, trusted: ownsProcess && !principal, forceReruns });
}

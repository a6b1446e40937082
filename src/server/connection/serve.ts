/** `serve`: serves one connection of a server over any transport. */

import type { Transport } from '../../jsonrpc/transport.ts';
import { engineLoading } from '../../schema/check/engine-loader.ts';
import { internalsOf } from '../internals.ts';
import type { McpServer } from '../server.ts';
import { serveConnection } from './connection.ts';
import { connectionOptions, type ServedConnection, type ServeOptions } from './connection-options.ts';

function checkTransport(transport: unknown): void {
  if (typeof transport === 'object' && transport !== null && 'connect' in transport && 'send' in transport) return;
  throw new TypeError(
    'serve needs a transport as its second argument, an object with connect() and send(). To listen on a port, use ' +
      'serveHttp(server, { port }) of mcpp/http; for a program that clients start, serveStdio(server) of mcpp/stdio',
  );
}

/** Serves one connection over any transport. Resolves when the transport is connected, not when the connection ends. */
export async function serve(
  server: McpServer<unknown>,
  transport: Transport,
  options: ServeOptions = {},
): Promise<ServedConnection> {
  const internals = internalsOf('serve', server);
  checkTransport(transport);
  const settings = connectionOptions('serve', options);
  // Waits for the JSON Schema engine if it is being loaded. Otherwise later requests could overtake calls that wait for it.
  const loading = engineLoading();
  if (loading) await loading;
  return serveConnection(internals, transport, settings);
}

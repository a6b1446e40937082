/** Serves a server over one connection, whoever is at the other end. */

import { later } from '../jsonrpc/later.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { LineOptions } from './line-options.ts';
import { chain } from './maybe.ts';
import type { Served } from './served.ts';
import { ServedConnection } from './served-connection.ts';
import type { ServedLine } from './serving.ts';

/** What is loaded before the first request is served. */
const everything = later(() => import('./all-at-once.ts'));

/** Serves a connection. */
export async function connectLine(server: Served, transport: Transport, options: LineOptions): Promise<ServedLine> {
  const connection = new ServedConnection(server, transport, options);
  const { ready } = connection;
  ready?.catch(() => {}); // Awaited below; until then a rejection has nobody.
  try {
    await transport.connect(connection);
  } catch (error) {
    ready?.catch((fault) => connection.onError(fault));
    throw error;
  }
  try {
    await ready;
  } catch (error) {
    await transport.disconnect();
    throw error;
  }
  return connection;
}

/**
 * Serves whoever owns this process and is not known otherwise, as a program does that was started for its client: no
 * scopes are asked for.
 */
export async function serveOwner(server: Served, transport: Transport, forceReruns = false): Promise<ServedLine> {
  const { owned, preparation } = server['~parts'];
  const loaded = everything.use(({ haveAllAtOnce }) => haveAllAtOnce());
  const scopeRefusal = chain(
    chain(loaded, () => preparation.end()),
    () => () => undefined,
  );
  return connectLine(owned, transport, { principal: undefined, forceReruns, scopeRefusal });
}

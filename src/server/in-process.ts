/** Connections within the process. Loaded with the first of them. */

import { memoryPair } from '../jsonrpc/memory.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import { serveOwner } from './connect-line.ts';
import type { ServeOptions } from './serve.ts';
import { serveAnybody } from './serve-anybody.ts';
import type { Served } from './served.ts';

/** Serves one, and gives the client's end of it. */
export async function connectWithin(server: Served, options: ServeOptions = {}): Promise<Transport> {
  const { principal, ownsProcess = true, forceReruns } = options;
  await server['~parts'].preparation.end();
  const [near, far] = memoryPair();
  if (ownsProcess && !principal) await serveOwner(server, far, forceReruns);
  else await serveAnybody(server, far, principal, forceReruns ? { forceReruns } : {});
  return near;
}

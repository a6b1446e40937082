/** Connections within the process. Loaded with the first of them. */

import { memoryPair } from '../jsonrpc/memory.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import { haveEveryRevision } from '../protocol/every-revision.ts';
import { type ServeOptions, serve } from './serve.ts';
import type { Served } from './served.ts';

/** Serves one, and gives the client's end of it. */
export async function connectWithin(server: Served, options: ServeOptions | undefined): Promise<Transport> {
  haveEveryRevision();
  const [near, far] = memoryPair();
  await serve(server, far, { ownsProcess: true, ...options });
  return near;
}

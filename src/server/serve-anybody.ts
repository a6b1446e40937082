/** Serves whoever may be at the other end of a connection. */

import type { Transport } from '../jsonrpc/transport.ts';
import { haveEveryRevision } from '../protocol/every-revision.ts';
import type { Principal } from '../protocol/principal.ts';
import { checkPrincipal } from '../protocol/principal-check.ts';
import { scopeRefusal } from './scope-checks.ts';
import type { Served } from './served.ts';
import { connectLine, type ServedLine } from './served-connection.ts';

/** Serves somebody who may or may not be known: what needs scopes is refused to those who were not granted them. */
export async function serveAnybody(
  server: Served,
  transport: Transport,
  principal: Principal | undefined,
  forceReruns = false,
): Promise<ServedLine> {
  if (principal) checkPrincipal(principal, 'serve');
  haveEveryRevision();
  return connectLine(server, transport, { principal, forceReruns, scopeRefusal });
}

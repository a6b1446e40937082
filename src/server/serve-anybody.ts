/** Serves whoever may be at the other end of a connection. */

import type { Transport } from '../jsonrpc/transport.ts';
import { haveEveryRevision } from '../protocol/every-revision.ts';
import type { Principal } from '../protocol/principal.ts';
import { checkPrincipal } from '../protocol/principal-check.ts';
import { scopeRefusal } from './scope-checks.ts';
import type { Served } from './served.ts';
import { connectLine } from './served-connection.ts';
import type { ServedLine } from './serving.ts';

/** Makes ready for somebody who may or may not be known: what needs scopes is refused to those who were not granted them. */
export function admit(principal: Principal | undefined): typeof scopeRefusal {
  if (principal) checkPrincipal(principal, 'serve');
  haveEveryRevision();
  return scopeRefusal;
}

/** Serves somebody; who it is may change with each message. */
export async function serveAnybody(
  server: Served,
  transport: Transport,
  principal: Principal | undefined,
): Promise<ServedLine> {
  return connectLine(server, transport, { principal, forceReruns: false, scopeRefusal: admit(principal) });
}

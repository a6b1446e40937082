/** Serves whoever may be at the other end of a connection. */

import type { Transport } from '../jsonrpc/transport.ts';
import type { Principal } from '../protocol/principal.ts';
import { checkPrincipal } from '../protocol/principal-check.ts';
import { haveAllAtOnce } from './all-at-once.ts';
import { connectLine } from './connect-line.ts';
import type { LineOptions } from './line-options.ts';
import { scopeRefusal } from './scope-checks.ts';
import type { Served } from './served.ts';
import type { ServedLine } from './serving.ts';

/**
 * Makes ready for somebody, who then waits for nothing to be loaded: gives what refuses requests that need scopes to
 * those who were not granted them. Throws if this cannot be a caller.
 */
export function admit(principal: Principal | undefined): typeof scopeRefusal {
  if (principal) checkPrincipal(principal, 'serve');
  haveAllAtOnce();
  return scopeRefusal;
}

/** Serves a connection whose principal may change with each message. */
export async function serveAnybody(
  server: Served,
  transport: Transport,
  principal: Principal | undefined,
  options: { readonly forceReruns?: boolean } & Pick<LineOptions, 'caller' | 'running'> = {},
): Promise<ServedLine> {
  return connectLine(server, transport, {
    ...options,
    principal,
    forceReruns: options.forceReruns === true,
    scopeRefusal: admit(principal),
  });
}

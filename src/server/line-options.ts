/** How a connection is served. */

import type { RpcError } from '../jsonrpc/errors.ts';
import type { Request } from '../jsonrpc/message.ts';
import type { Principal } from '../protocol/principal.ts';
import type { RunningCalls } from './limits/connection-usage.ts';
import type { Maybe } from './maybe.ts';
import type { Sender } from './scope-checks.ts';
import type { ServerParts } from './served.ts';

/** What a connection is served with. */
export interface LineOptions {
  readonly principal: Principal | undefined;
  readonly forceReruns: boolean;
  /** Whose share of the server the connection uses. Default: the principal's. */
  readonly caller?: string | undefined;
  readonly running?: RunningCalls | undefined;
  /** Why a request is not carried out for want of scopes. Until it is there, whatever is said waits. */
  readonly scopeRefusal: Maybe<ScopeRefusalOf>;
}

/** Gives the reason why a request is not carried out for want of scopes. */
export type ScopeRefusalOf = (
  own: ServerParts,
  request: Request,
  sender: Sender,
) => { readonly error: RpcError } | undefined;

/** Whether who sends something was granted what it needs. Asked by all who serve others than the owner of this process. */

import { RpcError } from '../jsonrpc/errors.ts';
import { type Id, isBatch, isObject, isRequest, type Request } from '../jsonrpc/message.ts';
import { type Batch, isUnreadable, type Payload } from '../jsonrpc/parse.ts';
import { claimedVersion } from '../protocol/claim.ts';
import type { ClientCapabilities } from '../protocol/model/capabilities.ts';
import type { Principal } from '../protocol/principal.ts';
import type { Session } from '../protocol/session.ts';
import { callerOf } from '../protocol/stateless/caller.ts';
import { neededScopes } from './needed-scopes.ts';
import type { ServerParts } from './served.ts';

/** Who sends a request. */
export interface Sender {
  readonly principal: Principal | undefined;
  readonly session: Session | undefined;
}

/** Why requests are not carried out. */
export interface ScopeRefusal {
  /** The first of them whose sender lacks something. */
  readonly id: Id;
  /** All that they need. */
  readonly scopes: readonly string[];
  readonly error: RpcError;
}

/** True if the caller was granted all of these. */
export function hasScopes({ scopes }: Principal, needed: readonly string[]): boolean {
  // A text has parts that are no scopes of it.
  const granted: readonly string[] = Array.isArray(scopes) ? scopes : [];
  return needed.every((scope) => granted.includes(scope));
}

/** All scopes that what came needs, and which of it needs more than its sender has. */
export function scopesNeeded(
  own: ServerParts,
  payload: Payload,
  { principal, session }: Sender,
): { readonly scopes: readonly string[]; readonly lacking: Request | undefined } {
  if (!own.isScoped) return NOTHING;
  const scopes = new Set<string>();
  let lacking: Request | undefined;
  for (const request of requestsIn(payload)) {
    const capabilities = capabilitiesIn(request, session);
    const needed = (capabilities && neededScopes(own.registries, request, { principal, capabilities })) ?? [];
    for (const scope of needed) scopes.add(scope);
    if (needed.length > 0 && !(principal && hasScopes(principal, needed))) lacking ??= request;
  }
  return { scopes: [...scopes], lacking };
}

const NOTHING = { scopes: [], lacking: undefined } as const;

/**
 * Why what came is not carried out; undefined if its sender has every scope it needs. It is asked before anything of it
 * is begun.
 */
export function scopeRefusal(own: ServerParts, payload: Payload, sender: Sender): ScopeRefusal | undefined {
  const { scopes, lacking } = scopesNeeded(own, payload, sender);
  return lacking && { id: lacking.id, scopes, error: insufficientScope(scopes, sender.principal) };
}

/** The requests among what came. */
export function requestsIn(payload: Payload): Request[] {
  const all = (isBatch(payload) ? payload : [payload]) as Batch;
  return all.filter((one): one is Request => !isUnreadable(one) && isRequest(one));
}

function insufficientScope(scopes: readonly string[], principal: Principal | undefined): RpcError {
  const names = `${scopes.length === 1 ? 'the scope' : 'the scopes'} ${scopes.join(', ')}`;
  const message = principal
    ? `This needs ${names}`
    : `This needs ${names}, and nobody is asked who is calling. Set the option "auth" where the server is served.`;
  return RpcError.invalidRequest(message, { requiredScopes: scopes });
}

// Whoever does not say who it is as it must is told that by whoever answers, and nothing else is done for it.
function capabilitiesIn({ params }: Request, session: Session | undefined): ClientCapabilities | undefined {
  if (claimedVersion(params) === undefined) return session?.capabilities ?? {};
  try {
    return isObject(params) ? callerOf(params).capabilities : undefined;
  } catch {
    return undefined;
  }
}

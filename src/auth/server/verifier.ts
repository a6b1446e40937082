/** Tokens that are checked by a function of one's own. */

import { thenMaybe } from '../../jsonrpc/maybe-promise.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { HttpRequest } from '../../protocol/http/authenticate.ts';
import { checkPrincipal, type Principal } from '../../protocol/principal.ts';
import { authenticator } from './authenticator.ts';
import { boundKey } from './claims.ts';
import { receivedClaims } from './refused.ts';
import { checkOptions, type Resource, type ResourceAuth, type ResourceOptions, resourceOf } from './resource.ts';
import type { TokenCheck, Verdict } from './token.ts';
import { issuerUrl } from './urls.ts';

/** Options of `verifier`. */
export interface VerifierOptions extends ResourceOptions {
  /** The authorization server that clients get tokens from; or name several as `authorizationServers`. */
  readonly issuer?: string | undefined;
  /** The authorization servers that clients get tokens from, if there are several. */
  readonly authorizationServers?: readonly string[] | undefined;
  /**
   * Says whom a token was issued for, or `undefined` or `null` if it is not good; then the caller gets a 401. It has to find
   * out that the token was issued for this server. What it throws is reported, and the caller gets a 500.
   */
  readonly verify: (token: string, request: HttpRequest) => Verified | Promise<Verified>;
}

type Verified = Principal | undefined | null;

/** Lets callers in whose token `verify` knows. Metadata, challenges, scopes and proofs are as with `jwt`. */
export function verifier(options: VerifierOptions): ResourceAuth {
  checkOptions(options, 'verifier');
  const { issuer, verify } = options;
  const servers = options.authorizationServers ?? (issuer === undefined ? [] : [issuer]);
  if (!Array.isArray(servers) || servers.length === 0) {
    throw new TypeError('One of the options "issuer" and "authorizationServers" must be there');
  }
  for (const server of servers) issuerUrl(server, issuer === server ? 'issuer' : 'authorizationServers');
  if (typeof verify !== 'function') throw new TypeError('The option "verify" must be a function');
  const resource = resourceOf(options, servers);
  const check: TokenCheck = (token, request) =>
    thenMaybe(verify(token, request), (principal) => verdictOn(principal, issuer, resource));
  return authenticator(resource, check, { issuer, audience: resource.identifiers });
}

function verdictOn(principal: Verified, issuer: string | undefined, { widen }: Resource): Verdict {
  if (principal === undefined || principal === null) return { fault: 'inactive', received: undefined };
  if (!isObject(principal)) throw new TypeError('"verify" gave neither a principal nor undefined');
  checkPrincipal(principal, '"verify"');
  const jkt = boundKey(principal.claims ?? {});
  if (jkt === null) return { fault: 'confirmation', received: receivedClaims(principal.claims ?? {}) };
  const from = principal.issuer ?? issuer;
  const known = { ...principal, ...(from !== undefined && { issuer: from }), scopes: widen(principal.scopes ?? []) };
  return { principal: known, jkt };
}

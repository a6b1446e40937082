/** `verifier()`: tokens that a function of the application checks. */

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
  /** Issuer of the authorization server that clients get tokens from. Required without `authorizationServers`. */
  readonly issuer?: string | undefined;
  /** Issuers of the authorization servers that clients get tokens from, if there are several. */
  readonly authorizationServers?: readonly string[] | undefined;
  /**
   * Returns the principal of a token; undefined or null for an invalid token, which gets 401. Must check that the token was
   * issued for this server. If it throws, the error is reported and the client gets 500.
   */
  readonly verify: (token: string, request: HttpRequest) => Verified | Promise<Verified>;
}

type Verified = Principal | undefined | null;

/** Creates an authenticator that checks tokens with `verify`. Metadata, challenges, scopes and DPoP work as with `jwt`. */
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

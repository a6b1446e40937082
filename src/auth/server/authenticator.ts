/** Authenticates requests: reads the Authorization header, and checks token, DPoP proof and scopes. */

import { toError } from '../../jsonrpc/errors.ts';
import { type MaybePromise, thenMaybe } from '../../jsonrpc/maybe-promise.ts';
import type { Challenge, Credentials, HttpRequest } from '../../protocol/http/authenticate.ts';
import type { Principal } from '../../protocol/principal.ts';
import { hasScopes } from '../../server/authorization/scopes.ts';
import type { Scheme } from './challenges.ts';
import { PROOF_FAULTS, type ProofFault, proofCheck } from './dpop.ts';
import { type ExpectedClaims, receivedClaims } from './refused.ts';
import { type OnError, reportTo } from './report.ts';
import type { Resource, ResourceAuth } from './resource.ts';
import { type ReceivedClaims, TOKEN_FAULTS, type TokenCheck, type TokenFault, type Verdict } from './token.ts';

const MAX_TOKEN_LENGTH = 16 * 1024;
const SCHEMES: ReadonlyMap<string, Scheme> = new Map([
  ['bearer', 'bearer'],
  ['dpop', 'dpop'],
]);

/** Creates the authenticator of a resource. `check` verifies tokens; `expected` is part of the reports of refused tokens. */
export function authenticator(
  resource: Resource,
  check: TokenCheck,
  expected: ExpectedClaims,
  report: OnError = reportTo(),
): ResourceAuth {
  const { challenges, dpop, onRefused, protectedResource, scopes } = resource;
  const checkProof = proofCheck(resource.url, resource.proofs);

  const admit = (principal: Principal): Principal | Challenge =>
    hasScopes(principal, scopes) ? principal : { ...protectedResource.insufficientScope([], principal), principal };

  const invalidToken = (scheme: Scheme, fault: TokenFault, received: ReceivedClaims | undefined): Challenge => {
    onRefused({ reason: fault, description: TOKEN_FAULTS[fault], expected, received });
    return challenges.invalidToken(scheme, fault);
  };
  const invalidProof = (fault: ProofFault, received: ReceivedClaims): Challenge => {
    onRefused({ reason: 'proof', description: PROOF_FAULTS[fault], expected, received });
    return challenges.invalidProof(fault);
  };

  const judge = (verdict: Verdict, { token }: Credentials, scheme: Scheme, request: HttpRequest): Outcome => {
    if (verdict === 'unavailable') return challenges.unavailable;
    if ('fault' in verdict) return invalidToken(scheme, verdict.fault, verdict.received);
    const { principal, jkt } = verdict;
    const fault = bindingFault(scheme, jkt, dpop);
    if (fault) {
      const asked = fault === 'bound' || dpop === 'required' ? 'dpop' : 'bearer';
      return invalidToken(asked, fault, receivedClaims(principal.claims ?? {}));
    }
    if (jkt === undefined) return admit(principal);
    const shown = { proof: request.header('dpop'), method: request.method, token, jkt };
    return checkProof(shown).then(
      (reason) => (reason ? invalidProof(reason, receivedClaims(principal.claims ?? {})) : admit(principal)),
      (error: unknown) => {
        report(toError(error));
        return challenges.unavailable;
      },
    );
  };

  const authenticate = (credentials: Credentials | undefined, request: HttpRequest): Outcome => {
    // URLs are written to logs, so a token in a URL is already disclosed.
    if (hasTokenInQuery(request.target)) {
      return challenges.invalidRequest('A token belongs into the header Authorization, not into the URL');
    }
    if (!credentials) {
      const isUnreadable = /^(?:bearer|dpop)\b/i.test(request.header('authorization') ?? '');
      return isUnreadable ? challenges.invalidRequest('The header Authorization cannot be read') : challenges.missing;
    }
    const scheme = SCHEMES.get(credentials.scheme);
    const isAsked = scheme === 'dpop' ? dpop !== 'refused' : dpop !== 'required';
    // RFC 6750, section 3.1: a request without credentials of a supported scheme gets a challenge without an error code.
    if (!scheme || !isAsked) return challenges.missing;
    if (credentials.token.length > MAX_TOKEN_LENGTH) return invalidToken(scheme, 'malformed', undefined);
    return thenMaybe(check(credentials.token, request), (verdict) => judge(verdict, credentials, scheme, request));
  };

  return Object.assign(authenticate, { protectedResource });
}

type Outcome = MaybePromise<Principal | Challenge>;

// Without a proof, a stolen DPoP-bound token would be as useful as a bearer token.
function bindingFault(scheme: Scheme, jkt: string | undefined, dpop: Resource['dpop']): TokenFault | undefined {
  if (scheme === 'bearer' && jkt !== undefined) return dpop === 'refused' ? 'confirmation' : 'bound';
  if (scheme === 'dpop' && jkt === undefined) return 'unbound';
  return undefined;
}

function hasTokenInQuery(target: string): boolean {
  const start = target.indexOf('?');
  return start >= 0 && new URLSearchParams(target.slice(start)).has('access_token');
}

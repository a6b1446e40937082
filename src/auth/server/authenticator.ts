/** Lets requests in: looks at how a token is shown, has it checked, and looks at what it allows. */

import type { Challenge, Credentials, HttpRequest } from '../../protocol/http-request.ts';
import type { Principal } from '../../protocol/principal.ts';
import { chain, type Maybe } from '../../server/maybe.ts';
import { hasScopes } from '../../server/scope-checks.ts';
import type { Scheme } from './challenges.ts';
import { proofCheck } from './dpop.ts';
import type { Resource, ResourceAuth } from './resource.ts';
import type { TokenCheck, TokenFault, Verdict } from './token.ts';

const MAX_TOKEN_LENGTH = 16 * 1024;
const SCHEMES: ReadonlyMap<string, Scheme> = new Map([
  ['bearer', 'bearer'],
  ['dpop', 'dpop'],
]);

/** The authenticator of a resource whose tokens are checked like this. */
export function authenticator(resource: Resource, check: TokenCheck): ResourceAuth {
  const { challenges, dpop, protectedResource, scopes } = resource;
  const checkProof = proofCheck(resource.url);

  const admit = (principal: Principal): Principal | Challenge =>
    hasScopes(principal, scopes) ? principal : { ...protectedResource.insufficientScope([], principal), principal };

  const judge = (verdict: Verdict, { token }: Credentials, scheme: Scheme, request: HttpRequest): Outcome => {
    if (verdict === 'unavailable') return challenges.unavailable;
    if (typeof verdict === 'string') return challenges.invalidToken(scheme, verdict);
    const { principal, jkt } = verdict;
    const fault = bindingFault(scheme, jkt, dpop);
    if (fault) return challenges.invalidToken(fault === 'bound' || dpop === 'required' ? 'dpop' : 'bearer', fault);
    if (jkt === undefined) return admit(principal);
    const shown = { proof: request.header('dpop'), method: request.method, token, jkt };
    return checkProof(shown).then((reason) => (reason ? challenges.invalidProof(reason) : admit(principal)));
  };

  const authenticate = (credentials: Credentials | undefined, request: HttpRequest): Outcome => {
    // Whatever is in a URL ends up in logs; the token has been given away already.
    if (hasTokenInQuery(request.target)) {
      return challenges.invalidRequest('A token belongs into the header Authorization, not into the URL');
    }
    if (!credentials) {
      const isUnreadable = /^(?:bearer|dpop)\b/i.test(request.header('authorization') ?? '');
      return isUnreadable ? challenges.invalidRequest('The header Authorization cannot be read') : challenges.missing;
    }
    const scheme = SCHEMES.get(credentials.scheme);
    const isAsked = scheme === 'dpop' ? dpop !== 'refused' : dpop !== 'required';
    // RFC 6750: who tried in another way is told which way is right, and of no error.
    if (!scheme || !isAsked) return challenges.missing;
    if (credentials.token.length > MAX_TOKEN_LENGTH) return challenges.invalidToken(scheme, 'malformed');
    return chain(check(credentials.token, request), (verdict) => judge(verdict, credentials, scheme, request));
  };

  return Object.assign(authenticate, { protectedResource });
}

type Outcome = Maybe<Principal | Challenge>;

// Accepted without its proof, a bound token would be worth as much to a thief as any other.
function bindingFault(scheme: Scheme, jkt: string | undefined, dpop: Resource['dpop']): TokenFault | undefined {
  if (scheme === 'bearer' && jkt !== undefined) return dpop === 'refused' ? 'confirmation' : 'bound';
  if (scheme === 'dpop' && jkt === undefined) return 'unbound';
  return undefined;
}

function hasTokenInQuery(target: string): boolean {
  const start = target.indexOf('?');
  return start >= 0 && new URLSearchParams(target.slice(start)).has('access_token');
}

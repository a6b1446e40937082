/** Checks the claims of a token, and derives the principal. */

import { isObject } from '../../jsonrpc/message.ts';
import type { Principal } from '../../protocol/principal.ts';
import { grantedScopes, type Widen } from './scopes.ts';
import type { TokenFault, VerifiedToken } from './token.ts';

/** Claims of a token, with the names of RFC 7519 and RFC 7662. */
export type Claims = Readonly<Record<string, unknown>>;

/** Expected values of the claims of a token. */
export interface Expected {
  readonly issuer: string;
  /** Accepted audiences: the claim `aud` must contain one of them. */
  readonly audience: readonly string[];
  /** Accepted clock skew, in seconds. */
  readonly clockTolerance: number;
  readonly widen: Widen;
}

/** Validates the option `audience`. Default: the identifiers of the resource. */
export function expectedAudience(
  audience: string | readonly string[] | undefined,
  identifiers: readonly string[],
): readonly string[] {
  const wanted = audience === undefined ? identifiers : typeof audience === 'string' ? [audience] : audience;
  const isList = Array.isArray(wanted) && wanted.length > 0;
  if (isList && wanted.every((one) => typeof one === 'string' && one !== '')) return wanted;
  throw new TypeError('The option "audience" must be a text or a list of texts');
}

/** Validates the option `clockTolerance`, in seconds. Default: 5. */
export function expectedTolerance(seconds = 5): number {
  if (typeof seconds === 'number' && seconds >= 0 && Number.isFinite(seconds)) return seconds;
  throw new TypeError('The option "clockTolerance" must be a number of seconds, 0 or more');
}

/** Returns why the claims are refused; undefined if they are accepted. Claims other than `aud` may be missing. */
export function faultIn({ iss, aud, exp, nbf }: Claims, expected: Expected): TokenFault | undefined {
  const now = Date.now() / 1000;
  const { issuer, audience, clockTolerance } = expected;
  if (iss !== undefined && iss !== issuer) return 'issuer';
  if (!audience.some((one) => (Array.isArray(aud) ? aud.includes(one) : aud === one))) return 'audience';
  if ([exp, nbf].some((date) => date !== undefined && typeof date !== 'number')) return 'malformed';
  if (typeof nbf === 'number' && nbf > now + clockTolerance) return 'early';
  if (typeof exp === 'number' && exp <= now - clockTolerance) return 'expired';
  return undefined;
}

/** Returns the principal and the DPoP binding of a token with accepted claims, or why the token is refused. */
export function verifiedToken(said: Claims, expected: Expected, token: string): VerifiedToken | TokenFault {
  const { issuer, clockTolerance, widen } = expected;
  // Removes claims that contain the token itself, so that handlers cannot pass the token on.
  const claims = frozen(Object.fromEntries(Object.entries(said).filter(([, value]) => value !== token)));
  const { sub, client_id, azp, exp } = claims;
  const jkt = boundKey(claims);
  if (jkt === null) return 'confirmation';
  const clientId = nameIn(client_id) ?? nameIn(azp);
  const subject = sub === undefined ? clientId : nameIn(sub);
  if (subject === undefined) return 'subject';
  const scopes = widen(grantedScopes(claims));
  // Includes the clock tolerance. Otherwise an accepted token could count as expired immediately.
  const expiresAt = typeof exp === 'number' ? (exp + clockTolerance) * 1000 : undefined;
  const principal: Principal = {
    issuer,
    subject,
    ...(clientId !== undefined && { clientId }),
    scopes,
    claims,
    ...(expiresAt !== undefined && { expiresAt }),
  };
  return { principal: Object.freeze(principal), jkt };
}

/** Returns the thumbprint of the DPoP key (`cnf.jkt`); undefined if unbound, null if bound in a way that cannot be checked. */
export function boundKey({ cnf = {} }: Claims): string | undefined | null {
  if (!isObject(cnf)) return null;
  const { jkt, ...others } = cnf;
  if (Object.keys(others).length > 0) return null;
  return jkt === undefined || typeof jkt === 'string' ? jkt : null;
}

function nameIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

// Frozen, because several requests share the cached claims of a token.
function frozen<T extends object>(value: T): T {
  const open: object[] = [value];
  for (let next = open.pop(); next; next = open.pop()) {
    Object.freeze(next);
    for (const inner of Object.values(next)) if (typeof inner === 'object' && inner !== null) open.push(inner);
  }
  return value;
}

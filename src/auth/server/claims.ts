/** What a token says: whether that lets its bearer in here, and who that is. */

import { isObject } from '../../jsonrpc/message.ts';
import type { Principal } from '../../protocol/principal.ts';
import { grantedScopes, type Widen } from './scopes.ts';
import type { TokenFault, VerifiedToken } from './token.ts';

/** What is said of a token, under the names of RFC 7519 and RFC 7662. */
export type Claims = Readonly<Record<string, unknown>>;

/** What tokens have to say. */
export interface Expected {
  readonly issuer: string;
  /** One of these must be among those the token is for. */
  readonly audience: readonly string[];
  /** Seconds that clocks may differ by. */
  readonly clockTolerance: number;
  readonly widen: Widen;
}

/** The option "audience", or the identifiers of the resource. */
export function expectedAudience(
  audience: string | readonly string[] | undefined,
  identifiers: readonly string[],
): readonly string[] {
  const wanted = audience === undefined ? identifiers : typeof audience === 'string' ? [audience] : audience;
  const isList = Array.isArray(wanted) && wanted.length > 0;
  if (isList && wanted.every((one) => typeof one === 'string' && one !== '')) return wanted;
  throw new TypeError('The option "audience" must be a text or a list of texts');
}

/** The option "clockTolerance", in seconds. */
export function expectedTolerance(seconds = 5): number {
  if (typeof seconds === 'number' && seconds >= 0 && Number.isFinite(seconds)) return seconds;
  throw new TypeError('The option "clockTolerance" must be a number of seconds, 0 or more');
}

/** Why a token that says this is not accepted here; undefined if it is. What it says nothing of is in order. */
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

/** A good token: whom it was issued for, and what it is bound to. */
export function verifiedToken(said: Claims, expected: Expected, token: string): VerifiedToken | TokenFault {
  const { issuer, clockTolerance, widen } = expected;
  // Handlers get what is said of the caller, and nothing that they could pass on as if they were the caller.
  const claims = frozen(Object.fromEntries(Object.entries(said).filter(([, value]) => value !== token)));
  const { sub, client_id, azp, exp } = claims;
  const jkt = boundKey(claims);
  if (jkt === null) return 'confirmation';
  const clientId = nameIn(client_id) ?? nameIn(azp);
  const subject = sub === undefined ? clientId : nameIn(sub);
  if (subject === undefined) return 'subject';
  const scopes = widen(grantedScopes(claims));
  // For as long as it is accepted: whoever was let in a moment ago is not sent away in the next.
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

/** The thumbprint of the key a token is bound to; null if it is bound to something else, which nobody here can check. */
export function boundKey({ cnf = {} }: Claims): string | undefined | null {
  if (!isObject(cnf)) return null;
  const { jkt, ...others } = cnf;
  if (Object.keys(others).length > 0) return null;
  return jkt === undefined || typeof jkt === 'string' ? jkt : null;
}

function nameIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

// Several requests share what is remembered of one token.
function frozen<T extends object>(value: T): T {
  const open: object[] = [value];
  for (let next = open.pop(); next; next = open.pop()) {
    Object.freeze(next);
    for (const inner of Object.values(next)) if (typeof inner === 'object' && inner !== null) open.push(inner);
  }
  return value;
}

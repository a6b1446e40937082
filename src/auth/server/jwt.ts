/** `jwt()`: access tokens that are JWTs, verified with the keys of their issuer (RFC 9068). */

import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import { toError } from '../../jsonrpc/errors.ts';
import { AuthError } from '../errors.ts';
import { acceptedAlgorithms } from './algorithms.ts';
import { asking } from './ask.ts';
import { authenticator } from './authenticator.ts';
import { type Expected, expectedAudience, expectedTolerance, verifiedToken } from './claims.ts';
import { ExpiringMap } from './expiring-map.ts';
import { remoteKeys } from './keys.ts';
import { receivedClaims } from './refused.ts';
import { type OnError, reportTo } from './report.ts';
import { checkOptions, type ResourceAuth, type ResourceOptions, resourceOf } from './resource.ts';
import type { InvalidToken, ReceivedClaims, TokenFault, Verdict, VerifiedToken } from './token.ts';
import { endpointUrl, issuerUrl } from './urls.ts';

/** Options of `jwt`. */
export interface JwtOptions extends ResourceOptions {
  /** Issuer of the tokens, exactly as in the claim `iss`. */
  readonly issuer: string;
  /** Accepted audiences: the claim `aud` must contain one of them. Default: `resource`. */
  readonly audience?: string | readonly string[] | undefined;
  /** Accepted signature algorithms. Default: all supported ones, which are asymmetric. */
  readonly algorithms?: readonly string[] | undefined;
  /** URL of the issuer's JSON Web Key Set. Default: as in the issuer's metadata. */
  readonly jwksUri?: string | undefined;
  /** Accepted clock skew, in seconds. Default: 5. */
  readonly clockTolerance?: number | undefined;
  /** `fetch` function for metadata and keys. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Called if the keys cannot be fetched; clients get 503 meanwhile. Default: writes a line to stderr. */
  readonly onError?: OnError | undefined;
}

const MAX_REMEMBERED = 1000;
const REMEMBERED_MS = 30_000;

/** Creates an authenticator for JWTs of one issuer: checks signature, `iss`, `aud` and times. Fetches the keys when needed. */
export function jwt(options: JwtOptions): ResourceAuth {
  checkOptions(options, 'jwt');
  const { issuer, jwksUri } = options;
  issuerUrl(issuer, 'issuer');
  if (jwksUri !== undefined) endpointUrl(jwksUri, 'jwksUri');
  const resource = resourceOf(options, [issuer]);
  const report = reportTo(options.onError);
  const expected: Expected = {
    issuer,
    audience: expectedAudience(options.audience, resource.identifiers),
    clockTolerance: expectedTolerance(options.clockTolerance),
    widen: resource.widen,
  };
  const rules = {
    issuer,
    audience: [...expected.audience],
    clockTolerance: expected.clockTolerance,
    algorithms: acceptedAlgorithms(options.algorithms),
    requiredClaims: ['exp'],
  };
  const keys = remoteKeys({ issuer, jwksUri, ask: asking(options.fetch), report });
  // Caches verified tokens, because clients send the same token with many requests.
  const remembered = new ExpiringMap<VerifiedToken>(MAX_REMEMBERED);

  const verify = async (token: string): Promise<Verdict> => {
    try {
      const fault = headerFault(token);
      if (fault) return invalid(fault, token);
      const verdict = verifiedToken(await claimsOf(token, keys, rules), expected, token);
      if (typeof verdict === 'string') return invalid(verdict, token);
      const { expiresAt = Infinity } = verdict.principal;
      remembered.set(token, verdict, Math.min(expiresAt, Date.now() + REMEMBERED_MS));
      return verdict;
    } catch (error) {
      if (error instanceof AuthError) return 'unavailable';
      // Reported, because the token is not the cause: for instance, a key of the issuer cannot be used.
      if (!(error instanceof errors.JOSEError)) report(toError(error));
      return invalid(faultOf(error), token);
    }
  };
  const check = (token: string): ReturnType<typeof verify> | Verdict => remembered.get(token) ?? verify(token);
  return authenticator(resource, check, { issuer, audience: expected.audience }, report);
}

function invalid(fault: TokenFault, token: string): InvalidToken {
  return { fault, received: claimsToReport(token) };
}

function claimsToReport(token: string): ReceivedClaims | undefined {
  try {
    return receivedClaims(decodeJwt(token));
  } catch {
    return undefined;
  }
}

/** Returns why the JWT header is refused. Keys that the header names (`jku`, `x5u`, `jwk`) are never used. */
function headerFault(token: string): TokenFault | undefined {
  try {
    const { crit, typ = 'JWT' } = decodeProtectedHeader(token);
    if (crit !== undefined) return 'malformed';
    return /^(?:application\/)?(?:at\+)?jwt$/i.test(typ) ? undefined : 'type';
  } catch {
    return 'malformed';
  }
}

async function claimsOf(token: string, keys: JWTVerifyGetKey, rules: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, rules)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    // Several keys match, for instance because the token has no `kid`: tries all of them.
    for await (const key of error) {
      const { payload } = await jwtVerify(token, key, rules).catch(unlessSignature);
      if (payload) return payload;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function unlessSignature(error: unknown): { payload?: undefined } {
  if (error instanceof errors.JWSSignatureVerificationFailed) return {};
  throw error;
}

const FAULTS: ReadonlyMap<unknown, TokenFault> = new Map<unknown, TokenFault>([
  [errors.JOSEAlgNotAllowed.code, 'algorithm'],
  [errors.JWSInvalid.code, 'malformed'],
  [errors.JWTInvalid.code, 'malformed'],
  [errors.JWTExpired.code, 'expired'],
]);
const CLAIM_FAULTS: ReadonlyMap<string, TokenFault> = new Map([
  ['iss', 'issuer'],
  ['aud', 'audience'],
  ['nbf', 'early'],
]);

function faultOf(error: unknown): TokenFault {
  if (error instanceof errors.JWTClaimValidationFailed) {
    const isDate = error.claim === 'nbf' && error.reason !== 'check_failed';
    return isDate ? 'malformed' : (CLAIM_FAULTS.get(error.claim) ?? 'malformed');
  }
  return FAULTS.get((error as { code?: unknown }).code) ?? 'signature';
}

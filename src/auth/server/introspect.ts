/** `introspect()`: access tokens that the authorization server checks (RFC 7662). */

import type { IntrospectionResponse } from 'oauth4webapi';
import type { MaybePromise } from '../../jsonrpc/maybe-promise.ts';
import { asking } from './ask.ts';
import { authenticator } from './authenticator.ts';
import { boundedAsking } from './bounded-asking.ts';
import { type Expected, expectedAudience, expectedTolerance, faultIn, verifiedToken } from './claims.ts';
import type { ClientCredentials } from './client-credentials.ts';
import { ExpiringMap } from './expiring-map.ts';
import { introspection } from './introspection.ts';
import { receivedClaims } from './refused.ts';
import { type OnError, reportTo } from './report.ts';
import { checkOptions, type ResourceAuth, type ResourceOptions, resourceOf } from './resource.ts';
import type { InvalidToken, TokenFault, Verdict, VerifiedToken } from './token.ts';
import { endpointUrl, issuerUrl } from './urls.ts';

/** Options of `introspect`. */
export interface IntrospectOptions extends ResourceOptions, ClientCredentials {
  /** Issuer of the authorization server, exactly as in its metadata. */
  readonly issuer: string;
  /** URL of the introspection endpoint. Default: as in the issuer's metadata. */
  readonly endpoint?: string | undefined;
  /** Accepted audiences: the claim `aud` must contain one of them. Default: `resource`. */
  readonly audience?: string | readonly string[] | undefined;
  /** Accepted clock skew, in seconds. Default: 5. */
  readonly clockTolerance?: number | undefined;
  /**
   * Time in milliseconds for which a valid token is not introspected again, at most 300 000. Revocations take effect after that
   * time. Default: 0. In an outage of the authorization server, tokens stay valid for at least a minute after their last check.
   */
  readonly cacheMs?: number | undefined;
  /** `fetch` function for requests to the authorization server. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Called if the authorization server cannot be asked; clients get 503 meanwhile. Default: writes a line to stderr. */
  readonly onError?: OnError | undefined;
}

const MAX_REMEMBERED = 1000;
const MAX_CACHE_MS = 5 * 60_000;
// Invalid tokens are cached for this time, so that repeating one does not cause a request each time.
const BAD_MS = 5000;
/** Time for which a valid token stays valid while the authorization server does not respond, in milliseconds. */
const WITHOUT_ANSWER_MS = 60_000;

interface Known {
  readonly verdict: VerifiedToken;
  /** The token is not introspected again before this time, in milliseconds since 1970. */
  readonly freshUntil: number;
}

/** Creates an authenticator that accepts active tokens for this resource, as reported by introspection (RFC 7662). */
export function introspect(options: IntrospectOptions): ResourceAuth {
  checkOptions(options, 'introspect');
  const { issuer, endpoint, cacheMs = 0 } = options;
  issuerUrl(issuer, 'issuer');
  if (endpoint !== undefined) endpointUrl(endpoint, 'endpoint');
  if (typeof cacheMs !== 'number' || !(cacheMs >= 0 && cacheMs <= MAX_CACHE_MS)) {
    throw new TypeError(`The option "cacheMs" must be a number of milliseconds from 0 to ${MAX_CACHE_MS}`);
  }
  const resource = resourceOf(options, [issuer]);
  const expected: Expected = {
    issuer,
    audience: expectedAudience(options.audience, resource.identifiers),
    clockTolerance: expectedTolerance(options.clockTolerance),
    widen: resource.widen,
  };
  const report = reportTo(options.onError);
  const ask = introspection({ issuer, endpoint, credentials: options, ask: asking(options.fetch), report });
  const known = new ExpiringMap<Known>(MAX_REMEMBERED);
  // A cache of its own, so that invalid tokens cannot evict valid ones.
  const bad = new ExpiringMap<InvalidToken>(MAX_REMEMBERED);
  let lastGood: string | undefined;
  const askAbout = boundedAsking(ask, { issuer, report, controlToken: () => lastGood ?? crypto.randomUUID() });

  const remember = (token: string, verdict: VerifiedToken | InvalidToken): void => {
    const now = Date.now();
    if ('fault' in verdict) {
      known.delete(token);
      bad.set(token, verdict, now + BAD_MS);
      return;
    }
    lastGood = token;
    const { expiresAt = Infinity } = verdict.principal;
    const until = Math.min(expiresAt, now + Math.max(cacheMs, WITHOUT_ANSWER_MS));
    known.set(token, { verdict, freshUntil: now + cacheMs }, until);
  };

  const verify = async (token: string): Promise<Verdict> => {
    try {
      const response = await askAbout(token);
      const judged = verdictOn(response, expected, token);
      const verdict = typeof judged === 'string' ? invalid(judged, response) : judged;
      remember(token, verdict);
      return verdict;
    } catch {
      // The reason was already reported.
      return known.get(token)?.verdict ?? 'unavailable';
    }
  };
  const check = (token: string): MaybePromise<Verdict> => {
    const { verdict, freshUntil = 0 } = known.get(token) ?? {};
    return verdict && freshUntil > Date.now() ? verdict : (bad.get(token) ?? verify(token));
  };
  return authenticator(resource, check, { issuer, audience: expected.audience }, report);
}

function invalid(fault: TokenFault, response: IntrospectionResponse): InvalidToken {
  return { fault, received: response.active ? receivedClaims(response) : undefined };
}

function verdictOn(response: IntrospectionResponse, expected: Expected, token: string): VerifiedToken | TokenFault {
  const { active, token_type, ...claims } = response;
  if (!active) return 'inactive';
  // Many servers report refresh tokens as active too.
  if (token_type !== undefined && !/^(?:bearer|dpop)$/i.test(String(token_type))) return 'type';
  const verdict = faultIn(claims, expected) ?? verifiedToken(claims, expected, token);
  // The token is bound to a key, but the response does not name the key.
  const isUnsaid = /^dpop$/i.test(String(token_type)) && typeof verdict === 'object' && verdict.jkt === undefined;
  return isUnsaid ? 'confirmation' : verdict;
}

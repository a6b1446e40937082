/** Access tokens that only their issuer can read: it is asked about each. */

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
  /** The authorization server, written as it writes itself. */
  readonly issuer: string;
  /** Where it is asked. Default: where its metadata says. */
  readonly endpoint?: string | undefined;
  /** What `aud` must hold one of. Default: `resource`. */
  readonly audience?: string | readonly string[] | undefined;
  /** Seconds that clocks may differ by. Default: 5. */
  readonly clockTolerance?: number | undefined;
  /**
   * Milliseconds for which a good token is not asked about again, up to 5 minutes; nobody notices so long that it was
   * revoked. While the authorization server does not answer, a good token stays good for a minute in any case. Default: 0.
   */
  readonly cacheMs?: number | undefined;
  /** Sends the requests, in place of what the runtime has for that. */
  readonly fetch?: typeof fetch | undefined;
  /** Told why the authorization server cannot be asked; callers get a 503 meanwhile. Default: a line on stderr. */
  readonly onError?: OnError | undefined;
}

const MAX_REMEMBERED = 1000;
const MAX_CACHE_MS = 5 * 60_000;
// Whoever sends a bad token again and again is not worth asking each time.
const BAD_MS = 5000;
/** How long a good token stays good while there is no answer. */
const WITHOUT_ANSWER_MS = 60_000;

interface Known {
  readonly verdict: VerifiedToken;
  /** Until then the authorization server is not asked again, in milliseconds since 1970. */
  readonly freshUntil: number;
}

/** Lets callers in whose token is active and for this resource, says the authorization server (RFC 7662). */
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
  // Apart from the good ones, so that nobody can push those out.
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
      // Why has been reported.
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
  // Of refresh tokens, too, many servers say that they are active.
  if (token_type !== undefined && !/^(?:bearer|dpop)$/i.test(String(token_type))) return 'type';
  const verdict = faultIn(claims, expected) ?? verifiedToken(claims, expected, token);
  // It is bound to a key, and nobody says to which.
  const isUnsaid = /^dpop$/i.test(String(token_type)) && typeof verdict === 'object' && verdict.jkt === undefined;
  return isUnsaid ? 'confirmation' : verdict;
}

/** Access tokens that only their issuer can read: it is asked about each. */

import type { IntrospectionResponse } from 'oauth4webapi';
import { asking } from './ask.ts';
import { authenticator } from './authenticator.ts';
import { type Expected, expectedAudience, expectedTolerance, faultIn, verifiedToken } from './claims.ts';
import type { ClientCredentials } from './client-credentials.ts';
import { ExpiringMap } from './expiring-map.ts';
import { introspection } from './introspection.ts';
import { type OnError, reportTo } from './report.ts';
import { type ResourceAuth, type ResourceOptions, resourceOf } from './resource.ts';
import type { Verdict, VerifiedToken } from './token.ts';
import { endpointUrl, identifierUrl } from './urls.ts';

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
  /** Milliseconds for which a good token is not asked about again; nobody notices so long that it was revoked. Default: 0. */
  readonly cacheMs?: number | undefined;
  /** Sends the requests, in place of what the runtime has for that. */
  readonly fetch?: typeof fetch | undefined;
  /** Told why the authorization server cannot be asked; callers get a 503 meanwhile. Default: a line on stderr. */
  readonly onError?: OnError | undefined;
}

const MAX_REMEMBERED = 1000;

/** Lets callers in whose token is active and for this resource, says the authorization server (RFC 7662). */
export function introspect(options: IntrospectOptions): ResourceAuth {
  const { issuer, endpoint, cacheMs = 0 } = options;
  identifierUrl(issuer, 'issuer');
  if (endpoint !== undefined) endpointUrl(endpoint, 'endpoint');
  if (typeof cacheMs !== 'number' || !(cacheMs >= 0)) {
    throw new TypeError('The option "cacheMs" must be a number of milliseconds, 0 or more');
  }
  const resource = resourceOf(options, [issuer]);
  const expected: Expected = {
    issuer,
    audience: expectedAudience(options.audience, resource.identifiers),
    clockTolerance: expectedTolerance(options.clockTolerance),
    widen: resource.widen,
  };
  const report = reportTo(options.onError);
  const askAbout = introspection({ issuer, endpoint, credentials: options, ask: asking(options.fetch), report });
  const remembered = new ExpiringMap<VerifiedToken>(MAX_REMEMBERED);
  const pending = new Map<string, Promise<Verdict>>();

  const verify = async (token: string): Promise<Verdict> => {
    try {
      const verdict = verdictOn(await askAbout(token), expected, token);
      if (typeof verdict === 'object')
        remembered.set(token, verdict, Math.min(verdict.expiresAt, Date.now() + cacheMs));
      return verdict;
    } catch {
      // Why has been reported.
      return 'unavailable';
    } finally {
      pending.delete(token);
    }
  };
  const begin = (token: string): Promise<Verdict> => {
    const verdict = verify(token);
    pending.set(token, verdict);
    return verdict;
  };
  return authenticator(resource, (token) => remembered.get(token) ?? pending.get(token) ?? begin(token));
}

function verdictOn(response: IntrospectionResponse, expected: Expected, token: string): Verdict {
  const { active, token_type, ...claims } = response;
  if (!active) return 'inactive';
  // Of refresh tokens, too, many servers say that they are active.
  if (token_type !== undefined && !/^(?:bearer|dpop)$/i.test(String(token_type))) return 'type';
  return faultIn(claims, expected) ?? verifiedToken(claims, expected, token);
}

/** Keys of an issuer (JSON Web Key Set): fetched at first use, cached, and fetched again after a key rotation. */

import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { isObject } from '../../jsonrpc/message.ts';
import { type Ask, jsonObjectIn, MAX_ASKING_MS, stepOf } from './ask.ts';
import { COOLDOWN_MS, withCooldown } from './cooldown.ts';
import { discoverEndpoint, unavailable } from './discovery.ts';
import type { OnError } from './report.ts';

export interface KeySource {
  readonly issuer: string;
  /** URL of the key set. Undefined: as in the issuer's metadata. */
  readonly jwksUri: string | undefined;
  readonly ask: Ask;
  readonly report: OnError;
}

// After 10 minutes, keys in use are refreshed in the background. If that fails, the old keys are used for up to an hour.
const REFRESH_AFTER_MS = 10 * 60_000;
const MAX_AGE_MS = 60 * 60_000;

/** Returns the function that finds the key of a token. Rejects with an `AuthError`, and reports it, if there are no keys. */
export function remoteKeys(source: KeySource): JWTVerifyGetKey {
  const fetchKeys = withCooldown(keyFetcher(source), source.report);
  let fetchedAt = Number.POSITIVE_INFINITY;
  // `customFetch` ignores this URL, because the right one might have to be discovered first.
  const keys = createRemoteJWKSet(new URL(source.jwksUri ?? source.issuer), {
    // A token with an unknown key can be the first after a key rotation, or forged. So there is a pause between two fetches.
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: MAX_AGE_MS,
    timeoutDuration: MAX_ASKING_MS,
    [customFetch]: async (_url, { signal }) => {
      const body = await fetchKeys(signal);
      fetchedAt = Date.now();
      return new Response(body);
    },
  });
  return async (header, token) => {
    // Not awaited. `withCooldown` reports failures.
    if (Date.now() - fetchedAt > REFRESH_AFTER_MS) keys.reload().catch(() => {});
    return keys(header, token);
  };
}

function keyFetcher({ issuer, jwksUri, ask }: KeySource): (signal: AbortSignal) => Promise<string> {
  let place = jwksUri;
  return async (signal) => {
    place ??= await discoverEndpoint(ask, issuer, 'jwks_uri', signal);
    const answer = await ask(place, { headers: { accept: 'application/json, application/jwk-set+json' }, signal });
    const document = jsonObjectIn(answer);
    const isKeySet =
      typeof document === 'object' && Array.isArray(document['keys']) && document['keys'].every(isObject);
    if (typeof answer === 'object' && isKeySet) return answer.body;
    const outcome = typeof document === 'string' ? document : 'the answer is no key set';
    const step = stepOf('keys', place, answer, outcome);
    // The keys could have moved, so their URL is discovered again.
    place = jwksUri;
    throw unavailable(`The keys of the authorization server ${issuer} could not be fetched`, [step]);
  };
}

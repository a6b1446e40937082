/** The keys of an issuer: fetched when they are first needed, kept, and fetched again when others are in use. */

import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { isObject } from '../../jsonrpc/message.ts';
import { type Ask, jsonObjectIn, MAX_ASKING_MS, stepOf } from './ask.ts';
import { COOLDOWN_MS, withCooldown } from './cooldown.ts';
import { discoverEndpoint, unavailable } from './discovery.ts';
import type { OnError } from './report.ts';

/** Where keys come from. */
export interface KeySource {
  readonly issuer: string;
  /** Undefined: where the issuer's metadata says. */
  readonly jwksUri: string | undefined;
  readonly ask: Ask;
  readonly report: OnError;
}

// From then on they are fetched anew while they are in use; if that fails they are good for the rest of the hour.
const REFRESH_AFTER_MS = 10 * 60_000;
const MAX_AGE_MS = 60 * 60_000;

/** Gives the key for a token. Rejects with an `AuthError` while keys cannot be had, and reports why. */
export function remoteKeys(source: KeySource): JWTVerifyGetKey {
  const fetchKeys = withCooldown(keyFetcher(source), source.report);
  let fetchedAt = Number.POSITIVE_INFINITY;
  // The set's own URL is not used: the right one may have to be found first.
  const keys = createRemoteJWKSet(new URL(source.jwksUri ?? source.issuer), {
    // A token with an unknown key may be the first after a rotation, or made up: keys are not fetched more often than that.
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
    // Nobody waits for that; why it failed is reported where it did.
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
    // They may have moved.
    place = jwksUri;
    throw unavailable(`The keys of the authorization server ${issuer} could not be fetched`, [step]);
  };
}

/** Sends token requests. If the server demands a DPoP nonce, sends the request once more. */

import type { ClientIdentity } from './client-auth.ts';
import { isNonceChallenge } from './dpop.ts';
import type { OAuthResponse } from './exchange.ts';
import type { ServerMetadata } from './server-metadata.ts';
import { readTokens, type TokenReading, type TokenRequestOptions, type TokenResponse, tokenRequest } from './token.ts';
import type { Wire } from './wire.ts';

/** Sends a token request, and returns the tokens of the response. */
export function requestTokens(
  wire: Wire,
  as: ServerMetadata,
  identity: ClientIdentity,
  asked: TokenRequestOptions,
): Promise<TokenResponse> {
  return askForTokens(wire, as, identity, asked, readTokens);
}

/** Sends a token request, and parses the response with `read`. */
export async function askForTokens<T extends object | string>(
  wire: Wire,
  as: ServerMetadata,
  identity: ClientIdentity,
  asked: TokenRequestOptions,
  read: (response: OAuthResponse, reading: TokenReading) => T,
): Promise<T> {
  const { grantType, dpop } = asked;
  const what = `token request, ${grantType.replace(/^.*:/, '')}`;
  const reading = (): TokenReading => ({ now: Date.now(), dpop: dpop && 'required' });
  const request = await tokenRequest(as, identity, asked);
  const first = await wire.post(what, request, (response) => {
    const hasNonce = dpop?.takeNonce(request.url.origin, response.header('dpop-nonce'));
    return hasNonce && isNonceChallenge(response) ? undefined : read(response, reading());
  });
  if (first !== undefined) return first;
  return wire.post(what, await tokenRequest(as, identity, asked), (response) => read(response, reading()));
}

/** The token endpoint: what is sent to it for each grant, and what its answer is taken for. */

import { AuthError } from '../errors.ts';
import type { PendingAuthorization } from './authorization.ts';
import { type ClientIdentity, clientAuthFor } from './client-auth.ts';
import type { DpopProver } from './dpop.ts';
import type { OAuthRequest, OAuthResponse } from './exchange.ts';
import { answerIn, invalidAnswer, type JsonObject, optionalString, secondsIn, stringIn } from './responses.ts';
import { formatScopes, parseScopes } from './scopes.ts';
import { endpointIn, type ServerMetadata } from './server-metadata.ts';

/** What entitles a client to a token. */
export interface Entitlement {
  readonly grantType: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** What a request for a token is made of. */
export interface TokenRequestOptions extends Entitlement {
  /** The MCP server that the token is for; undefined only for servers of revision 2025-03-26, which know no such thing. */
  readonly resource: string | undefined;
  /** Binds the token to a key. */
  readonly dpop?: DpopProver | undefined;
}

/** How an answer is read. */
export interface TokenReading {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** Whether the request had a proof; `required`: a token that is not bound to the key is refused. Default: it had none. */
  readonly dpop?: 'offered' | 'required' | undefined;
}

/** Tokens. Secret, and can be kept as JSON. */
export interface TokenResponse {
  readonly accessToken: string;
  readonly tokenType: 'bearer' | 'dpop';
  readonly refreshToken?: string;
  /** In milliseconds since 1970; unknown if the server does not say. */
  readonly expiresAt?: number;
  /** What was granted; if the server does not say, what was asked for. */
  readonly scopes?: readonly string[];
}

const WHO = 'The token endpoint';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

/** A code that came back from the browser. */
export function authorizationCodeGrant({ redirectUri, verifier }: PendingAuthorization, code: string): Entitlement {
  return {
    grantType: 'authorization_code',
    parameters: { code, redirect_uri: redirectUri, code_verifier: verifier },
  };
}

/** A refresh token. Scopes are left out: the new token has those of the old one. */
export function refreshGrant(refreshToken: string): Entitlement {
  return { grantType: 'refresh_token', parameters: { refresh_token: refreshToken } };
}

/** The client itself, without a person. */
export function clientCredentialsGrant(scopes: readonly string[]): Entitlement {
  return { grantType: 'client_credentials', parameters: scopeParameter(scopes) };
}

/** A JWT that somebody whom the authorization server trusts has signed: an ID-JAG, or the identity of a workload. */
export function jwtBearerGrant(assertion: string, scopes: readonly string[]): Entitlement {
  return { grantType: JWT_BEARER, parameters: { assertion, ...scopeParameter(scopes) } };
}

/** A code that a person confirms on another device. */
export function deviceCodeGrant(deviceCode: string): Entitlement {
  return { grantType: DEVICE_CODE, parameters: { device_code: deviceCode } };
}

/** A request for a token. */
export async function tokenRequest(
  as: ServerMetadata,
  identity: ClientIdentity,
  { grantType, parameters, resource, dpop }: TokenRequestOptions,
): Promise<OAuthRequest> {
  const body = new URLSearchParams({ grant_type: grantType, ...parameters });
  if (resource !== undefined) body.set('resource', resource);
  return authenticatedRequest(as, identity, endpointIn(as, 'token_endpoint'), body, dpop);
}

/** A form for an authorization server, with what shows who the client is. It has no other header fields than these. */
export async function authenticatedRequest(
  as: ServerMetadata,
  identity: ClientIdentity,
  url: URL,
  body: URLSearchParams,
  dpop?: DpopProver,
): Promise<OAuthRequest> {
  const headers = new Headers({ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' });
  await clientAuthFor(as, identity)(as, { client_id: identity.clientId }, body, headers);
  if (dpop) headers.set('dpop', await dpop.prove('POST', url));
  return { method: 'POST', url, headers: Object.fromEntries(headers), body: body.toString() };
}

/** The tokens of an answer; an `AuthError` with the code of the RFCs if it has none. */
export function readTokens(response: OAuthResponse, reading: TokenReading): TokenResponse {
  const fields = answerIn(response, { who: WHO, statuses: [200], field: 'access_token' });
  const refreshToken = optionalString(fields, 'refresh_token');
  const seconds = secondsIn(fields['expires_in']);
  const scopes = parseScopes(fields['scope']);
  return {
    accessToken: tokenIn(fields, WHO),
    tokenType: tokenTypeIn(fields, reading),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(seconds !== undefined && { expiresAt: reading.now + seconds * 1000 }),
    ...(scopes && { scopes }),
  };
}

/** What an answer has in `access_token`, if a header field can carry it. */
export function tokenIn(fields: JsonObject, who: string): string {
  const token = stringIn(fields, 'access_token', who);
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw invalidAnswer(who, '"access_token" has characters that no header field can carry');
}

/** The parameter `scope`, or none. */
export function scopeParameter(scopes: readonly string[]): Readonly<Record<string, string>> {
  const scope = formatScopes(scopes);
  return scope === undefined ? {} : { scope };
}

function tokenTypeIn(fields: JsonObject, { dpop }: TokenReading): 'bearer' | 'dpop' {
  const type = stringIn(fields, 'token_type', WHO).toLowerCase();
  if (type === 'dpop' && dpop !== undefined) return type;
  if (type === 'bearer' && dpop !== 'required') return type;
  if (type === 'bearer') {
    throw new AuthError('dpop_refused', `${WHO} gave a token that is not bound to a key, and DPoP is required`);
  }
  throw invalidAnswer(WHO, `"token_type" must be ${dpop === undefined ? 'Bearer' : 'DPoP or Bearer'}`);
}

/** Token endpoint: the parameters of each grant, requests and responses. */

import { AuthError } from '../errors.ts';
import type { PendingAuthorization } from './authorization.ts';
import { type ClientIdentity, clientAuthFor } from './client-auth.ts';
import type { DpopProver } from './dpop.ts';
import type { OAuthRequest, OAuthResponse } from './exchange.ts';
import { answerIn, invalidAnswer, type JsonObject, optionalString, secondsIn, stringIn } from './responses.ts';
import { formatScopes, parseScopes } from './scopes.ts';
import { endpointIn, type ServerMetadata } from './server-metadata.ts';

/** Grant type of a token request, with the parameters that entitle the client to a token. */
export interface Entitlement {
  readonly grantType: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface TokenRequestOptions extends Entitlement {
  /** Resource indicator of the MCP server (RFC 8707); undefined omits the parameter. */
  readonly resource: string | undefined;
  /** Creates the proof that binds the token to a key (DPoP). */
  readonly dpop?: DpopProver | undefined;
}

/** Options of `readTokens`. */
export interface TokenReading {
  /** Current time, in milliseconds since 1970. */
  readonly now: number;
  /** Set if the request had a DPoP proof. `required`: a token that is not bound to the key is refused. */
  readonly dpop?: 'offered' | 'required' | undefined;
}

/** Tokens of a response. Secret. Can be stored as JSON. */
export interface TokenResponse {
  readonly accessToken: string;
  readonly tokenType: 'bearer' | 'dpop';
  readonly refreshToken?: string;
  /** Expiry in milliseconds since 1970; undefined if the server does not send it. */
  readonly expiresAt?: number;
  /** Granted scopes; undefined if they are the requested scopes (RFC 6749, section 5.1). */
  readonly scopes?: readonly string[];
}

const WHO = 'The token endpoint';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

export function authorizationCodeGrant({ redirectUri, verifier }: PendingAuthorization, code: string): Entitlement {
  return {
    grantType: 'authorization_code',
    parameters: { code, redirect_uri: redirectUri, code_verifier: verifier },
  };
}

/** Requests no scopes, so that the new token has those of the old one (RFC 6749, section 6). */
export function refreshGrant(refreshToken: string): Entitlement {
  return { grantType: 'refresh_token', parameters: { refresh_token: refreshToken } };
}

export function clientCredentialsGrant(scopes: readonly string[]): Entitlement {
  return { grantType: 'client_credentials', parameters: scopeParameter(scopes) };
}

/** Grant by a JWT of an issuer that the authorization server trusts (RFC 7523): an ID-JAG, or the identity of a workload. */
export function jwtBearerGrant(assertion: string, scopes: readonly string[]): Entitlement {
  return { grantType: JWT_BEARER, parameters: { assertion, ...scopeParameter(scopes) } };
}

export function deviceCodeGrant(deviceCode: string): Entitlement {
  return { grantType: DEVICE_CODE, parameters: { device_code: deviceCode } };
}

export async function tokenRequest(
  as: ServerMetadata,
  identity: ClientIdentity,
  { grantType, parameters, resource, dpop }: TokenRequestOptions,
): Promise<OAuthRequest> {
  const body = new URLSearchParams({ grant_type: grantType, ...parameters });
  if (resource !== undefined) body.set('resource', resource);
  return authenticatedRequest(as, identity, endpointIn(as, 'token_endpoint'), body, dpop);
}

/** Builds a form request with client authentication and, if `dpop` is set, a DPoP proof. */
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

/** Returns the tokens of a response. Throws an `AuthError` with the OAuth error code if there are none. */
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

/** Returns the field `access_token`. Throws an `AuthError` if a header field cannot carry the token. */
export function tokenIn(fields: JsonObject, who: string): string {
  const token = stringIn(fields, 'access_token', who);
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw invalidAnswer(who, '"access_token" has characters that no header field can carry');
}

/** Returns the parameter `scope`, or no parameter if there are no scopes. */
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

/** Builds OAuth authorization requests with PKCE, and validates their callbacks. */

import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  validateAuthResponse,
} from 'oauth4webapi';
import { AuthError } from '../errors.ts';
import { refusal } from './responses.ts';
import { formatScopes, OFFLINE_ACCESS } from './scopes.ts';
import { endpointIn, requirePkce, type ServerMetadata } from './server-metadata.ts';
import { pageFault, redirectUriFault } from './targets.ts';

/** Parameters of an authorization request. */
export interface AuthorizationOptions {
  readonly clientId: string;
  readonly redirectUri: string;
  /** Resource indicator of the MCP server (RFC 8707); undefined omits the parameter. */
  readonly resource: string | undefined;
  readonly scopes: readonly string[];
  /** Thumbprint of the DPoP key, sent as `dpop_jkt` to bind the code to that key (RFC 9449, section 10). */
  readonly dpopThumbprint?: string | undefined;
  /** Additional parameters, such as `login_hint`. Of the parameters that this client sets, they override only `prompt`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

/** State of an authorization request until its callback arrives. Secret. Can be stored as JSON. */
export interface PendingAuthorization {
  /** Issuer of the authorization server, from its validated metadata. */
  readonly issuer: string;
  /** True if the metadata announces the parameter `iss` in callbacks (RFC 9207). */
  readonly issParameterSupported: boolean;
  readonly state: string;
  readonly verifier: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource?: string;
  readonly scopes: readonly string[];
}

/** Authorization code of a validated callback. Secret. */
export interface CallbackCode {
  readonly code: string;
}

const WHO = 'The authorization server';

/** Creates the URL of the authorization request, and the state that `readCallback` needs to validate the callback. */
export async function beginAuthorization(
  as: ServerMetadata,
  options: AuthorizationOptions,
): Promise<{ url: URL; pending: PendingAuthorization }> {
  const { clientId, redirectUri, resource, scopes, dpopThumbprint, parameters = {} } = options;
  requirePkce(as);
  const url = authorizationEndpoint(as);
  const fault = redirectUriFault(redirectUri);
  if (fault !== undefined) throw new AuthError('invalid_redirect_uri', `The redirect URI cannot be used: ${fault}`);
  const state = generateRandomState();
  const verifier = generateRandomCodeVerifier();
  const own = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource,
    scope: formatScopes(scopes),
    dpop_jkt: dpopThumbprint,
  };
  // Without `prompt=consent`, servers ignore the scope `offline_access` (OpenID Connect Core, section 11).
  const consent = scopes.includes(OFFLINE_ACCESS) ? { prompt: 'consent' } : {};
  for (const [name, value] of Object.entries({ ...consent, ...parameters, ...own })) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  const issParameterSupported = as.authorization_response_iss_parameter_supported === true;
  const memory = { issuer: as.issuer, issParameterSupported, state, verifier, clientId, redirectUri, scopes };
  return { url, pending: { ...memory, ...(resource !== undefined && { resource }) } };
}

/** Returns the code of a callback. Throws an `AuthError` if `state` or `iss` is wrong, or if the callback reports an error. */
export function readCallback(pending: PendingAuthorization, callback: URL | URLSearchParams): CallbackCode {
  const given = callback instanceof URLSearchParams ? callback : callback.searchParams;
  if (single(given, 'state') !== pending.state) {
    throw new AuthError(
      'state_mismatch',
      'The callback has not the "state" that belongs to it, so it is not an answer',
    );
  }
  checkIssuer(pending, single(given, 'iss'));
  const error = single(given, 'error');
  if (error !== undefined) throw refusal(WHO, { error, error_description: given.get('error_description') });
  const code = single(given, 'code');
  if (!code || !isPlain(pending, given)) throw invalidCallback('it has no "code", or more than that');
  return { code };
}

/** RFC 9207: `iss` must equal the issuer exactly. It may be missing only if the metadata does not announce it. */
function checkIssuer({ issuer, issParameterSupported }: PendingAuthorization, iss: string | undefined): void {
  if (iss === issuer || (iss === undefined && !issParameterSupported)) return;
  const fault = iss === undefined ? 'has no "iss", which the server promised' : 'has the "iss" of another issuer';
  // The message quotes no parameter of the callback, because an attacker could have written it.
  throw new AuthError('issuer_mismatch', `The callback ${fault}, so it may come from somebody else. It is not used`);
}

function authorizationEndpoint(as: ServerMetadata): URL {
  if (as.require_pushed_authorization_requests === true) {
    throw new AuthError(
      'par_unsupported',
      `${WHO} wants pushed authorization requests, which this client does not make`,
    );
  }
  const url = endpointIn(as, 'authorization_endpoint');
  const fault = pageFault(url);
  if (fault !== undefined)
    throw new AuthError('forbidden_url', `No browser is sent to the "authorization_endpoint": ${fault}`);
  url.hash = '';
  return url;
}

// True if the callback has only a code. JARM responses and tokens in the URL were not requested.
function isPlain({ issuer, clientId, state }: PendingAuthorization, given: URLSearchParams): boolean {
  try {
    validateAuthResponse({ issuer }, { client_id: clientId }, given, state);
    return true;
  } catch {
    return false;
  }
}

function single(given: URLSearchParams, name: string): string | undefined {
  const [value, another] = given.getAll(name);
  if (another !== undefined) throw invalidCallback(`it has "${name}" more than once`);
  return value;
}

function invalidCallback(fault: string): AuthError {
  return new AuthError('invalid_callback', `The callback cannot be used: ${fault}`);
}

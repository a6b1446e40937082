/** The authorization request, which a browser carries to the server, and the callback that it carries back. */

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

/** What is asked of a person. */
export interface AuthorizationOptions {
  readonly clientId: string;
  readonly redirectUri: string;
  /** The MCP server that the token is for; undefined only for servers of revision 2025-03-26, which know no such thing. */
  readonly resource: string | undefined;
  readonly scopes: readonly string[];
  /** Binds the code to a key that the token is to be bound to (`DpopKey.thumbprint`). */
  readonly dpopThumbprint?: string | undefined;
  /** Further parameters, such as `login_hint`. They replace none of those above. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

/** What has to be remembered until the callback comes. Secret, and can be kept as JSON. */
export interface PendingAuthorization {
  /** Of the metadata that was validated before. */
  readonly issuer: string;
  /** Whether that issuer promised to name itself in callbacks. */
  readonly issParameterSupported: boolean;
  readonly state: string;
  readonly verifier: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource?: string;
  readonly scopes: readonly string[];
}

/** What a callback is worth. Secret. */
export interface CallbackCode {
  readonly code: string;
}

const WHO = 'The authorization server';

/** The URL to show in a browser, and what to remember meanwhile. */
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
  // Without being asked again, a person is taken to have consented to less (OpenID Connect, section 11).
  const consent = scopes.includes(OFFLINE_ACCESS) ? { prompt: 'consent' } : {};
  for (const [name, value] of Object.entries({ ...consent, ...parameters, ...own })) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  const issParameterSupported = as.authorization_response_iss_parameter_supported === true;
  const memory = { issuer: as.issuer, issParameterSupported, state, verifier, clientId, redirectUri, scopes };
  return { url, pending: { ...memory, ...(resource !== undefined && { resource }) } };
}

/** The code of a callback that belongs to this authorization and comes from this issuer; else an `AuthError`. */
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

/** RFC 9207: compared by letter wherever it is there, and missing only where nobody promised it. */
function checkIssuer({ issuer, issParameterSupported }: PendingAuthorization, iss: string | undefined): void {
  if (iss === issuer || (iss === undefined && !issParameterSupported)) return;
  const fault = iss === undefined ? 'has no "iss", which the server promised' : 'has the "iss" of another issuer';
  // Nothing else of it is shown: it may be an attacker's.
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

// Nothing of a kind that was not asked for: no JARM, no tokens in the URL.
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

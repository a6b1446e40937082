/** Authorization server metadata (RFC 8414, OpenID Connect Discovery): where to find it, and its validation. */

import type { AuthorizationServer } from 'oauth4webapi';
import { AuthError } from '../errors.ts';
import { metadataPlaces } from '../metadata-places.ts';
import type { OAuthResponse } from './exchange.ts';
import { isIssuer } from './resource-metadata.ts';
import { documentIn, invalidAnswer, type JsonObject, stringIn } from './responses.ts';
import { targetFault } from './targets.ts';

/** Metadata of an authorization server. Can be stored as JSON. */
export interface ServerMetadata extends AuthorizationServer {
  /** True if the server publishes no metadata, so that these are the defaults of revision 2025-03-26. */
  readonly isFallback?: boolean;
}

export type EndpointName =
  | 'authorization_endpoint'
  | 'token_endpoint'
  | 'registration_endpoint'
  | 'device_authorization_endpoint';

const WHO = 'The authorization server metadata';
/** Maximum length of an endpoint URL, because a browser is started with one as an argument. */
export const MAX_ENDPOINT_LENGTH = 4096;
const ENDPOINTS: readonly EndpointName[] = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'device_authorization_endpoint',
];
const LISTS = [
  'scopes_supported',
  'grant_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'dpop_signing_alg_values_supported',
];
const FLAGS = [
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
  'require_pushed_authorization_requests',
];

/** Returns the URLs of an issuer's metadata, in the order in which they are tried. */
export function serverMetadataUrls(issuer: string): URL[] {
  if (!isIssuer(issuer)) {
    throw new AuthError('invalid_issuer', 'An issuer must be an absolute http(s) URL without query and fragment');
  }
  return metadataPlaces(issuer).map((place) => new URL(place));
}

/** Parses the metadata of an issuer. Throws an `AuthError` unless the field `issuer` equals `issuer` exactly. */
export function readServerMetadata(issuer: string, response: OAuthResponse): ServerMetadata {
  const fields = documentIn(response, WHO);
  const named = stringIn(fields, 'issuer', WHO);
  if (named !== issuer) throw issuerMismatch(named, issuer);
  stringIn(fields, 'token_endpoint', WHO);
  for (const name of ENDPOINTS) {
    const fault = fields[name] == null ? undefined : endpointFault(fields[name]);
    if (fault !== undefined) throw invalidAnswer(WHO, `"${name}": ${fault}`);
  }
  return believable(fields) as ServerMetadata;
}

/** Returns the default metadata that revision 2025-03-26 defines for servers without metadata. */
export function fallbackMetadata({ origin }: URL): ServerMetadata {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
    isFallback: true,
  };
}

/** Throws an `AuthError` unless the authorization server supports PKCE with S256, which MCP requires. */
export function requirePkce(as: ServerMetadata): void {
  if (as.code_challenge_methods_supported?.includes('S256')) return;
  const fault = as.code_challenge_methods_supported ? 'lists no S256 in' : 'has no';
  throw new AuthError(
    'pkce_unsupported',
    `${WHO} ${fault} "code_challenge_methods_supported", so a code could be stolen: MCP forbids to go on. ` +
      'Whoever runs the authorization server has to publish it',
  );
}

/** Returns the URL of an endpoint. Throws an `AuthError` if the endpoint is missing or its URL is not allowed. */
export function endpointIn(as: ServerMetadata, name: EndpointName): URL {
  const value = as[name];
  if (value === undefined) throw new AuthError('endpoint_missing', `The authorization server has no "${name}"`);
  const fault = endpointFault(value);
  if (fault !== undefined) throw new AuthError('forbidden_url', `The "${name}" of the authorization server: ${fault}`);
  return new URL(value);
}

// Private networks are not checked here but when the request is sent, by resolved address.
function endpointFault(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return 'it must be an absolute URL';
  if (value.length > MAX_ENDPOINT_LENGTH) return `it must have at most ${MAX_ENDPOINT_LENGTH} characters`;
  return targetFault(new URL(value));
}

// Removes fields of a wrong type, so that they count as missing.
function believable(fields: JsonObject): JsonObject {
  const isList = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');
  const entries = Object.entries(fields).filter(([name, value]) => {
    if (value === null || name === 'isFallback') return false;
    if (LISTS.includes(name)) return isList(value);
    return FLAGS.includes(name) ? typeof value === 'boolean' : true;
  });
  return Object.fromEntries(entries);
}

/** Returns a hint for the error message if two issuers differ only in the trailing slash, else an empty string. */
export function slashHint(named: readonly string[], issuer: string): string {
  const bare = (one: string): string => one.replace(/\/$/, '');
  if (!named.some((one) => bare(one) === bare(issuer))) return '';
  return '. Only the slash at the end differs: the MCP server, or the option "issuer", must name it exactly as it does';
}

function issuerMismatch(named: string, issuer: string): AuthError {
  const text = `${WHO} is of another issuer than the one it was asked for${slashHint([named], issuer)}`;
  return new AuthError('issuer_mismatch', text);
}

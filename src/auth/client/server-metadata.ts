/** Authorization server metadata (RFC 8414, OpenID Connect Discovery): where it is looked for, and what is believed of it. */

import type { AuthorizationServer } from 'oauth4webapi';
import { AuthError } from '../errors.ts';
import { metadataPlaces } from '../metadata-places.ts';
import type { OAuthResponse } from './exchange.ts';
import { isIssuer } from './resource-metadata.ts';
import { documentIn, invalidAnswer, type JsonObject, stringIn } from './responses.ts';
import { targetFault } from './targets.ts';

/** What an authorization server says of itself. Can be kept as JSON. */
export interface ServerMetadata extends AuthorizationServer {
  /** Nobody said any of this: it is what revision 2025-03-26 takes for granted. */
  readonly isFallback?: boolean;
}

/** Endpoints that requests are sent to, or a browser. */
export type EndpointName =
  | 'authorization_endpoint'
  | 'token_endpoint'
  | 'registration_endpoint'
  | 'device_authorization_endpoint';

const WHO = 'The authorization server metadata';
/** The longest URL of an authorization server that is used: a browser is started with one as an argument. */
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

/** Where to look for the metadata of an issuer, in this order: three places if it has a path, two if it has none. */
export function serverMetadataUrls(issuer: string): URL[] {
  if (!isIssuer(issuer)) {
    throw new AuthError('invalid_issuer', 'An issuer must be an absolute http(s) URL without query and fragment');
  }
  return metadataPlaces(issuer).map((place) => new URL(place));
}

/** Reads the metadata of an issuer. It has to name this very issuer, by letter. */
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

/** What revision 2025-03-26 takes for granted of a server that publishes nothing at all. */
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

/** Refuses an authorization server that does not say that it protects codes by PKCE with S256. */
export function requirePkce(as: ServerMetadata): void {
  if (as.code_challenge_methods_supported?.includes('S256')) return;
  const fault = as.code_challenge_methods_supported ? 'lists no S256 in' : 'has no';
  throw new AuthError(
    'pkce_unsupported',
    `${WHO} ${fault} "code_challenge_methods_supported", so a code could be stolen: MCP forbids to go on. ` +
      'Whoever runs the authorization server has to publish it',
  );
}

/** An endpoint of an authorization server; an `AuthError` if it has none, or one that nothing may be sent to. */
export function endpointIn(as: ServerMetadata, name: EndpointName): URL {
  const value = as[name];
  if (value === undefined) throw new AuthError('endpoint_missing', `The authorization server has no "${name}"`);
  const fault = endpointFault(value);
  if (fault !== undefined) throw new AuthError('forbidden_url', `The "${name}" of the authorization server: ${fault}`);
  return new URL(value);
}

// Whether a private network may be reached is decided where requests are sent, by address.
function endpointFault(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return 'it must be an absolute URL';
  if (value.length > MAX_ENDPOINT_LENGTH) return `it must have at most ${MAX_ENDPOINT_LENGTH} characters`;
  return targetFault(new URL(value));
}

// Of the wrong type is as good as not there: nothing is concluded from it.
function believable(fields: JsonObject): JsonObject {
  const isList = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');
  const entries = Object.entries(fields).filter(([name, value]) => {
    if (value === null || name === 'isFallback') return false;
    if (LISTS.includes(name)) return isList(value);
    return FLAGS.includes(name) ? typeof value === 'boolean' : true;
  });
  return Object.fromEntries(entries);
}

/** What to add to a message about issuers that differ: the usual reason, if that is it. */
export function slashHint(named: readonly string[], issuer: string): string {
  const bare = (one: string): string => one.replace(/\/$/, '');
  if (!named.some((one) => bare(one) === bare(issuer))) return '';
  return '. Only the slash at the end differs: the MCP server, or the option "issuer", must name it exactly as it does';
}

function issuerMismatch(named: string, issuer: string): AuthError {
  const text = `${WHO} is of another issuer than the one it was asked for${slashHint([named], issuer)}`;
  return new AuthError('issuer_mismatch', text);
}

/** Protected resource metadata (RFC 9728): where to find it, and its validation. */

import { AuthError } from '../errors.ts';
import type { OAuthResponse } from './exchange.ts';
import { documentIn, invalidAnswer, stringIn } from './responses.ts';
import { nameOf } from './send-rules.ts';

export interface ResourceMetadata {
  /** Resource indicator for token requests, exactly as the server wrote it. */
  readonly resource: string;
  /** Issuers, exactly as the server wrote them; at least one. */
  readonly authorizationServers: readonly string[];
  readonly scopesSupported?: readonly string[];
  /** True if the server accepts only DPoP-bound tokens. */
  readonly dpopRequired: boolean;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const WHO = 'The protected resource metadata';
const MAX_ISSUERS = 20;
const MAX_SCOPES = 1000;
/** Maximum length of all scopes together, because they are sent in a URL. */
const MAX_SCOPES_LENGTH = 16 * 1024;

/** Returns the URLs to try, in order: only `named` (from the challenge) if set, else the well-known URLs of path and root. */
export function resourceMetadataUrls(server: URL, named: string | undefined): URL[] {
  if (named !== undefined) return [namedUrl(server, named)];
  const root = new URL(WELL_KNOWN, server);
  const isRoot = server.pathname === '/' && server.search === '';
  if (isRoot) return [root];
  const path = server.pathname === '/' ? '' : server.pathname;
  return [new URL(`${WELL_KNOWN}${path}${server.search}`, server), root];
}

/** Parses the metadata. Throws an `AuthError` unless `resource` is the server's URL or a parent of it. */
export function readResourceMetadata(server: URL, response: OAuthResponse): ResourceMetadata {
  const fields = documentIn(response, WHO);
  const resource = stringIn(fields, 'resource', WHO);
  if (!isAbout(resource, server)) {
    throw new AuthError(
      'resource_mismatch',
      `${WHO} is about another resource: "resource" must be ${server.origin}${server.pathname}, or a parent of it`,
    );
  }
  const scopesSupported = strings(fields['scopes_supported']);
  if (scopesSupported && !isRequestable(scopesSupported)) {
    throw invalidAnswer(
      WHO,
      `"scopes_supported" must have at most ${MAX_SCOPES} scopes and ${MAX_SCOPES_LENGTH} bytes`,
    );
  }
  return {
    resource,
    authorizationServers: issuersIn(fields['authorization_servers']),
    ...(scopesSupported && scopesSupported.length > 0 && { scopesSupported }),
    dpopRequired: fields['dpop_bound_access_tokens_required'] === true,
  };
}

/** True for an issuer identifier: an absolute http(s) URL without query, fragment and credentials. */
export function isIssuer(value: string): boolean {
  const url = plainUrl(value);
  return url !== undefined && !/[?#]/.test(value) && url.username === '' && url.password === '';
}

function namedUrl(server: URL, named: string): URL {
  const url = URL.canParse(named, server.href) ? new URL(named, server) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || url.username !== '' || url.password !== '') {
    throw new AuthError('invalid_challenge', 'The challenge names a "resource_metadata" that is not an http(s) URL');
  }
  if (url.origin === server.origin) return url;
  throw new AuthError(
    'forbidden_address',
    `The challenge names a "resource_metadata" at ${nameOf(url)}: it must be at the server's own origin, ${server.origin}`,
  );
}

function isAbout(resource: string, server: URL): boolean {
  const url = plainUrl(resource);
  if (!url || url.origin !== server.origin || url.username !== '' || url.password !== '') return false;
  if (resource.includes('#') || (url.search !== '' && url.search !== server.search)) return false;
  const [own, asked] = [segments(url), segments(server)];
  return own.every((segment, index) => segment === asked[index]);
}

// A trailing slash does not make another resource.
function segments({ pathname }: URL): readonly string[] {
  return pathname.replace(/\/$/, '').split('/');
}

function issuersIn(value: unknown): readonly string[] {
  const issuers = strings(value) ?? [];
  if (issuers.length > MAX_ISSUERS) {
    throw invalidAnswer(WHO, `"authorization_servers" must name at most ${MAX_ISSUERS}, not ${issuers.length}`);
  }
  if (issuers.length === 0) throw invalidAnswer(WHO, '"authorization_servers" must name at least one');
  if (issuers.every(isIssuer)) return [...new Set(issuers)];
  throw invalidAnswer(WHO, '"authorization_servers" must be absolute http(s) URLs without query and fragment');
}

function isRequestable(scopes: readonly string[]): boolean {
  return scopes.length <= MAX_SCOPES && scopes.join(' ').length <= MAX_SCOPES_LENGTH;
}

function strings(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
}

// `new URL` ignores spaces and line breaks, and accepts backslashes. Strings that are compared or shown must have none.
function plainUrl(value: string): URL | undefined {
  if (!/^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/i.test(value) || !URL.canParse(value)) return undefined;
  return new URL(value);
}

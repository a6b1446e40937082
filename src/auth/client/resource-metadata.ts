/** Protected resource metadata (RFC 9728): where a server says which authorization servers let clients in. */

import { AuthError } from '../errors.ts';
import type { OAuthResponse } from './exchange.ts';
import { documentIn, invalidAnswer, stringIn } from './responses.ts';
import { nameOf } from './send-rules.ts';

/** What a server says of how to be let in. */
export interface ResourceMetadata {
  /** Names the server in every request for a token, by letter as the server wrote it. */
  readonly resource: string;
  /** Issuers, by letter as the server wrote them; at least one. */
  readonly authorizationServers: readonly string[];
  readonly scopesSupported?: readonly string[];
  /** Whether the server takes only tokens that are bound to a key. */
  readonly dpopRequired: boolean;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const WHO = 'The protected resource metadata';
const MAX_ISSUERS = 20;
const MAX_SCOPES = 1000;
/** Of all scopes together: they are sent in a URL. */
const MAX_SCOPES_LENGTH = 16 * 1024;

/** Where to look, in this order: what the challenge names and nowhere else, or the server's path, then its root. */
export function resourceMetadataUrls(server: URL, named: string | undefined): URL[] {
  if (named !== undefined) return [namedUrl(server, named)];
  const root = new URL(WELL_KNOWN, server);
  const isRoot = server.pathname === '/' && server.search === '';
  if (isRoot) return [root];
  const path = server.pathname === '/' ? '' : server.pathname;
  return [new URL(`${WELL_KNOWN}${path}${server.search}`, server), root];
}

/** Reads the metadata of a server. It has to be about this very server, or about a part of its site that the server is in. */
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

/** True for the name of an authorization server: an absolute URL without a query, a fragment or a user name. */
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

// A slash at the end makes no other resource.
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

// `new URL` forgives spaces around, line breaks within and backslashes; what is compared by letter, and shown, has none.
function plainUrl(value: string): URL | undefined {
  if (!/^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/i.test(value) || !URL.canParse(value)) return undefined;
  return new URL(value);
}

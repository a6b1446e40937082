/** Finds an MCP server's authorization server by protected resource metadata (RFC 9728) and server metadata (RFC 8414). */

import type { AuthChallenge, AuthError } from '../errors.ts';
import type { OAuthResponse } from './exchange.ts';
import { type ResourceMetadata, readResourceMetadata, resourceMetadataUrls } from './resource-metadata.ts';
import { shownIssuers } from './send-rules.ts';
import {
  fallbackMetadata,
  readServerMetadata,
  type ServerMetadata,
  serverMetadataUrls,
  slashHint,
} from './server-metadata.ts';
import type { Wire } from './wire.ts';

export interface Discovered {
  readonly as: ServerMetadata;
  /** Resource indicator for token requests: as in the protected resource metadata, else the URL of the MCP server. */
  readonly resource: string;
  /** `scopes_supported` of the protected resource metadata, requested if the challenge names no scopes. */
  readonly scopesSupported: readonly string[] | undefined;
  /** True if the MCP server accepts only DPoP-bound tokens. */
  readonly dpopRequired: boolean;
}

export interface DiscoveryHints {
  /** Challenge of the refused request, which can name the URL of the protected resource metadata. */
  readonly challenge: AuthChallenge | undefined;
  /** Configured issuer: no other is used. `discovered`: every issuer that the MCP server names may be used. */
  readonly issuer: string | undefined;
  /** Issuer that was used before. Preferred if the MCP server still names it. */
  readonly known: string | undefined;
  /** True if the client id was registered beforehand, so that it is valid at one authorization server only. */
  readonly hasCredentials: boolean;
}

/** Maximum number of issuers of one MCP server whose metadata is requested. */
const MAX_ISSUERS_TRIED = 5;

/** Value of the option `issuer` that accepts every authorization server that the MCP server names. */
export const DISCOVERED = 'discovered';

/** True if credentials configured for `configured` may be used at `issuer`. Undefined and `discovered` allow every issuer. */
export function isFor(configured: string | undefined, issuer: string): boolean {
  return configured === undefined || configured === DISCOVERED || configured === issuer;
}

/** True if a document or endpoint does not exist: status 4xx except 408, 425 and 429, or an HTML page with status 200. */
export function isAbsent({ status, header }: OAuthResponse): boolean {
  // Some servers answer every unknown path with the same HTML page.
  if (status === 200) return header('content-type')?.startsWith('text/html') === true;
  return status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429;
}

/** Finds the authorization server of an MCP server. Rejects with an `AuthError` if no usable one is found. */
export async function discover(wire: Wire, server: URL, hints: DiscoveryHints): Promise<Discovered> {
  const metadata = await findResource(wire, server, hints.challenge?.resourceMetadata);
  if (!metadata) return discoverWithoutResource(wire, server, hints);
  const { resource, scopesSupported, dpopRequired } = metadata;
  const as = await findNamed(wire, issuersToTry(wire, metadata, hints));
  return { as, resource, scopesSupported, dpopRequired };
}

/** Fetches the metadata of an issuer. Without metadata, the origin of `server` gets the defaults of revision 2025-03-26. */
export async function discoverIssuer(wire: Wire, issuer: string, server?: URL): Promise<ServerMetadata> {
  const as = await findServer(wire, issuer);
  if (as) return as;
  if (server?.origin === issuer) return fallbackMetadata(server);
  throw wire.failure('invalid_metadata', `The authorization server ${shownIssuers([issuer])} shows no metadata`);
}

/** False if the MCP server no longer names the issuer. True if it does, or if its metadata is missing or cannot be fetched. */
export async function isStillNamed(wire: Wire, server: URL, issuer: string): Promise<boolean> {
  try {
    const metadata = await findResource(wire, server, undefined);
    return metadata === undefined || metadata.authorizationServers.includes(issuer);
  } catch {
    return true;
  }
}

async function findResource(wire: Wire, server: URL, named: string | undefined): Promise<ResourceMetadata | undefined> {
  const what = 'protected resource metadata';
  for (const url of resourceMetadataUrls(server, named)) {
    const read = (response: OAuthResponse): ResourceMetadata | undefined =>
      isAbsent(response) ? undefined : readResourceMetadata(server, response);
    // SSRF: trusts no origin here, so that a challenge cannot direct this request to a configured issuer in a private network.
    const found = await wire.trusting().get(what, url, read);
    if (found) return found;
  }
  if (named === undefined) return undefined;
  throw wire.failure('invalid_metadata', 'The server names protected resource metadata that is not there');
}

// Returns the configured issuer, else the issuer used before, else the first five that the MCP server names.
function issuersToTry(
  wire: Wire,
  { authorizationServers }: ResourceMetadata,
  hints: DiscoveryHints,
): readonly string[] {
  const { issuer, known, hasCredentials } = hints;
  const bound = issuer === DISCOVERED ? undefined : (issuer ?? (hasCredentials ? known : undefined));
  if (bound !== undefined && !authorizationServers.includes(bound)) {
    const named = shownIssuers(authorizationServers);
    const whose = issuer === undefined ? 'the one that the client is registered at' : 'the configured one';
    const message =
      `The server's authorization server is ${named}, and not ${whose}, ${bound}. ` +
      `Credentials of one are never sent to another: check the option "issuer"${slashHint(authorizationServers, bound)}`;
    throw wire.failure('issuer_mismatch', message);
  }
  const first = bound ?? known;
  return first !== undefined && authorizationServers.includes(first)
    ? [first]
    : authorizationServers.slice(0, MAX_ISSUERS_TRIED);
}

async function findNamed(wire: Wire, issuers: readonly string[]): Promise<ServerMetadata> {
  let last: unknown;
  for (const issuer of issuers) {
    try {
      return await discoverIssuer(wire, issuer);
    } catch (error) {
      wire.signal.throwIfAborted();
      last = error;
    }
  }
  throw last;
}

async function findServer(wire: Wire, issuer: string): Promise<ServerMetadata | undefined> {
  const what = 'authorization server metadata';
  let trouble: AuthError | undefined;
  for (const url of serverMetadataUrls(issuer)) {
    const read = (response: OAuthResponse): ServerMetadata | undefined =>
      isAbsent(response) ? undefined : readServerMetadata(issuer, response);
    try {
      const found = await wire.get(what, url, read);
      if (found) return found;
    } catch (error) {
      // A retryable error at one URL does not exclude the others, but invalid metadata is an error. After a timeout the search
      // ends, because the other URLs are at the same origin.
      const { isRetryable, code } = error as Partial<AuthError>;
      if (!isRetryable || code === 'timeout') throw error;
      trouble = error as AuthError;
    }
  }
  if (trouble) throw trouble;
  return undefined;
}

/**
 * Discovery without protected resource metadata: uses the configured issuer, or the one used before. Otherwise the MCP server
 * is its own authorization server (2025-03-26), and never gets credentials that were registered elsewhere.
 */
async function discoverWithoutResource(wire: Wire, server: URL, hints: DiscoveryHints): Promise<Discovered> {
  const configured = hints.issuer === DISCOVERED ? undefined : hints.issuer;
  const issuer = configured ?? hints.known;
  const { origin } = server;
  const unsaid = { resource: canonical(server), scopesSupported: undefined, dpopRequired: false };
  if (issuer !== undefined && issuer !== origin) {
    return { as: await discoverIssuer(wire, issuer), ...unsaid };
  }
  if (hints.hasCredentials && issuer === undefined) {
    const message =
      'The server does not say which authorization server it has, so it is not known whose the credentials are. ' +
      'Pass the option "issuer"';
    throw wire.failure('issuer_unknown', message);
  }
  const as = (await findServer(wire, origin)) ?? fallbackMetadata(server);
  wire.note({ what: 'authorization server', url: origin, outcome: 'taken to be the server itself, as in 2025-03-26' });
  return { as, ...unsaid };
}

/** Returns the resource indicator of a server: its URL without query, fragment and the slash of an empty path. */
export function canonical({ origin, pathname }: URL): string {
  return pathname === '/' ? origin : `${origin}${pathname}`;
}

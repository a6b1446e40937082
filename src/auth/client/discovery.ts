/** Finds out how an MCP server lets clients in: its metadata first, then that of its authorization server. */

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

/** How to be let in. */
export interface Discovered {
  readonly as: ServerMetadata;
  /** The resource tokens are for, as the server spells it. */
  readonly resource: string;
  /** The scopes the server wants to be asked for if it named none when it refused. */
  readonly scopesSupported: readonly string[] | undefined;
  /** Tokens have to be bound to a key. */
  readonly dpopRequired: boolean;
}

/** What is known before. */
export interface DiscoveryHints {
  /** What the server said when it did not let us in. */
  readonly challenge: AuthChallenge | undefined;
  /** The authorization server that was configured: no other will do, or with `discovered` any that the server names. */
  readonly issuer: string | undefined;
  /** The one that was used before: taken if the server still names it. */
  readonly known: string | undefined;
  /** Whether the client was registered beforehand, at one authorization server. */
  readonly hasCredentials: boolean;
}

/** The number of authorization servers of one MCP server that are asked for their metadata. */
const MAX_ISSUERS_TRIED = 5;

/** In place of an issuer: whichever the server names. */
export const DISCOVERED = 'discovered';

/** Whether credentials that were configured for one issuer, or for whichever is discovered, are for this one. */
export function isFor(configured: string | undefined, issuer: string): boolean {
  return configured === undefined || configured === DISCOVERED || configured === issuer;
}

/** What a server answers that has no such document or endpoint; about the moment, in contrast, are 408, 425 and 429. */
export function isAbsent({ status, header }: OAuthResponse): boolean {
  // Some show the same page wherever one looks.
  if (status === 200) return header('content-type')?.startsWith('text/html') === true;
  return status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429;
}

/** Finds the authorization server of an MCP server. */
export async function discover(wire: Wire, server: URL, hints: DiscoveryHints): Promise<Discovered> {
  const metadata = await findResource(wire, server, hints.challenge?.resourceMetadata);
  if (!metadata) return discoverWithoutResource(wire, server, hints);
  const { resource, scopesSupported, dpopRequired } = metadata;
  const as = await findNamed(wire, issuersToTry(wire, metadata, hints));
  return { as, resource, scopesSupported, dpopRequired };
}

/** The metadata of an authorization server that is known by its issuer; of `server` if that is its own, as in 2025-03-26. */
export async function discoverIssuer(wire: Wire, issuer: string, server?: URL): Promise<ServerMetadata> {
  const as = await findServer(wire, issuer);
  if (as) return as;
  if (server?.origin === issuer) return fallbackMetadata(server);
  throw wire.failure('invalid_metadata', `The authorization server ${shownIssuers([issuer])} shows no metadata`);
}

/** False if the server has other authorization servers by now than this one; true if that is not to be found out. */
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
    // What was configured is trusted as an authorization server; a challenge cannot send us there for something else.
    const found = await wire.trusting().get(what, url, read);
    if (found) return found;
  }
  if (named === undefined) return undefined;
  throw wire.failure('invalid_metadata', 'The server names protected resource metadata that is not there');
}

// Of several the one that was configured, else the one that was used before, else the first of five that can be found.
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
      // Some servers fail where others have nothing; but a document that is there and wrong is not passed over. The other
      // places are of the same origin: if it does not answer in time, they are not waited for either.
      const { isRetryable, code } = error as Partial<AuthError>;
      if (!isRetryable || code === 'timeout') throw error;
      trouble = error as AuthError;
    }
  }
  if (trouble) throw trouble;
  return undefined;
}

/**
 * Without protected resource metadata there is what was configured, or used before; or a server of 2025-03-26, which is
 * its own authorization server. To that nothing goes that was not had from it.
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

/** The server as a resource: without query and fragment, and without a slash that stands for nothing. */
export function canonical({ origin, pathname }: URL): string {
  return pathname === '/' ? origin : `${origin}${pathname}`;
}

/** OAuth scopes: which to request, and whether the granted ones suffice. Scopes are compared as exact strings. */

import type { ServerMetadata } from './server-metadata.ts';

/** Scope that requests a refresh token (OpenID Connect Core, section 11). */
export const OFFLINE_ACCESS = 'offline_access';

/** Parses a space-separated list of scopes, and removes duplicates. Undefined if the list is empty. */
export function parseScopes(text: unknown): readonly string[] | undefined {
  if (typeof text !== 'string') return undefined;
  const scopes = text.split(/[ \t]+/).filter((scope) => scope !== '');
  return scopes.length === 0 ? undefined : [...new Set(scopes)];
}

/** Formats scopes as a parameter; undefined if there are none, because the parameter is then omitted. */
export function formatScopes(scopes: readonly string[]): string | undefined {
  return scopes.length === 0 ? undefined : scopes.join(' ');
}

/** Returns the scopes of the first request: those of the challenge, else all that the resource supports, else none. */
export function firstScopes(
  challenged: readonly string[] | undefined,
  supported: readonly string[] | undefined,
): readonly string[] {
  return challenged ?? supported ?? [];
}

/** Adds `offline_access` if the authorization server supports it. */
export function withOfflineAccess(scopes: readonly string[], as: ServerMetadata): readonly string[] {
  // As the only scope, `offline_access` would replace the default scopes of the authorization server.
  const isOffered = scopes.length > 0 && as.scopes_supported?.includes(OFFLINE_ACCESS) === true;
  return isOffered ? unionOfScopes(scopes, [OFFLINE_ACCESS]) : scopes;
}

/** Returns the scopes of a step-up authorization: those requested before, then the new ones of the challenge. */
export function unionOfScopes(requested: readonly string[], challenged: readonly string[]): readonly string[] {
  return [...new Set([...requested, ...challenged])];
}

/** True if all needed scopes were granted. No scope implies another. */
export function covers(granted: readonly string[], needed: readonly string[]): boolean {
  const held = new Set(granted);
  return needed.every((scope) => held.has(scope));
}

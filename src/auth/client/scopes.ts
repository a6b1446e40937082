/** Scopes: which to ask for, and whether those that were granted are enough. A scope is compared as a whole, by letter. */

import type { ServerMetadata } from './server-metadata.ts';

/** Asks for a refresh token, where an authorization server knows it. */
export const OFFLINE_ACCESS = 'offline_access';

/** The scopes of a text that has them separated by spaces, each once; undefined if there are none. */
export function parseScopes(text: unknown): readonly string[] | undefined {
  if (typeof text !== 'string') return undefined;
  const scopes = text.split(/[ \t]+/).filter((scope) => scope !== '');
  return scopes.length === 0 ? undefined : [...new Set(scopes)];
}

/** As requests carry them; undefined if there are none, since then the parameter is left out. */
export function formatScopes(scopes: readonly string[]): string | undefined {
  return scopes.length === 0 ? undefined : scopes.join(' ');
}

/** What to ask for at first: what the challenge names, else all that the resource lists, else nothing. */
export function firstScopes(
  challenged: readonly string[] | undefined,
  supported: readonly string[] | undefined,
): readonly string[] {
  return challenged ?? supported ?? [];
}

/** The same scopes, with the one that asks for a refresh token if the authorization server lists it. */
export function withOfflineAccess(scopes: readonly string[], as: ServerMetadata): readonly string[] {
  // Alone it would ask for nothing but that.
  const isOffered = scopes.length > 0 && as.scopes_supported?.includes(OFFLINE_ACCESS) === true;
  return isOffered ? unionOfScopes(scopes, [OFFLINE_ACCESS]) : scopes;
}

/** What to ask for when more is needed: what was requested before comes first, and nothing comes twice. */
export function unionOfScopes(requested: readonly string[], challenged: readonly string[]): readonly string[] {
  return [...new Set([...requested, ...challenged])];
}

/** True if each scope that is needed was granted. No scope is taken to include another. */
export function covers(granted: readonly string[], needed: readonly string[]): boolean {
  const held = new Set(granted);
  return needed.every((scope) => held.has(scope));
}

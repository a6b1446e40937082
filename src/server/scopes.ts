/** Scopes, as they are registered: what a caller must have been granted before it may use something. */

import { isScope } from '../protocol/principal.ts';

/** The scopes of an entry as it was registered; refuses what no token could have. */
export function scopesOf(owner: string, scopes: unknown): readonly string[] | undefined {
  if (scopes === undefined) return undefined;
  if (!Array.isArray(scopes) || scopes.length === 0) {
    throw new TypeError(`${owner}: scopes must be a list with at least one scope; leave it out to ask for none`);
  }
  const bad = scopes.findIndex((scope) => !isScope(scope));
  if (bad >= 0) {
    throw new TypeError(
      `${owner}: scopes[${bad}] is no scope: it has one or more visible ASCII characters, but no space, " or \\`,
    );
  }
  // Whether clients get refresh tokens is between them and the authorization server.
  if (scopes.includes('offline_access')) {
    throw new TypeError(`${owner}: scopes must not have "offline_access": no request needs it`);
  }
  if (new Set(scopes).size < scopes.length) throw new TypeError(`${owner}: scopes names the same scope twice`);
  return Object.freeze([...scopes]);
}

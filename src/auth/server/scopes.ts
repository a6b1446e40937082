/** OAuth scopes: validation, implied scopes, and the scopes of a token. */

import { isScope } from '../../protocol/principal.ts';

/** Returns the granted scopes and all scopes that they imply. */
export type Widen = (granted: readonly string[]) => readonly string[];

/** Validates a list of scopes, and removes duplicates. Throws a `TypeError` that names the option. */
export function scopeList(scopes: readonly string[] | undefined, option: string): readonly string[] {
  if (scopes === undefined) return [];
  if (!Array.isArray(scopes) || !scopes.every(isScope)) {
    throw new TypeError(`The option "${option}" must be a list of scopes, such as ["files:read"]`);
  }
  // `offline_access` only asks the authorization server for a refresh token. No request requires it.
  if (scopes.includes('offline_access')) {
    throw new TypeError(`The option "${option}" must not have "offline_access": no request needs it`);
  }
  return Object.freeze([...new Set(scopes)]);
}

/** Validates the option `implies`, and returns the function that adds implied scopes. */
export function widening(implies: Readonly<Record<string, readonly string[]>> = {}): Widen {
  if (typeof implies !== 'object' || implies === null || Array.isArray(implies)) {
    throw new TypeError('The option "implies" must be an object, such as { admin: ["read", "write"] }');
  }
  const table = new Map(Object.entries(implies).map(([scope, implied]) => [scope, scopeList(implied, 'implies')]));
  scopeList([...table.keys()], 'implies');
  return (granted) => {
    const all = new Set(granted);
    // The loop also visits the scopes that it adds, so implications are transitive. Cycles terminate.
    for (const scope of all) for (const implied of table.get(scope) ?? []) all.add(implied);
    return Object.freeze([...all]);
  };
}

/** Returns the scopes of a token: `scope` (RFC 6749), or `scp`, which some authorization servers use. */
export function grantedScopes({ scope, scp }: Readonly<Record<string, unknown>>): readonly string[] {
  const said = scope ?? scp;
  const parts: readonly unknown[] = typeof said === 'string' ? said.split(' ') : Array.isArray(said) ? said : [];
  return parts.filter((part): part is string => typeof part === 'string' && part !== '');
}

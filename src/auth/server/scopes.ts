/** Scopes: how they are written, which of them imply others, and which a token has. */

import { isScope } from '../../protocol/principal.ts';

/** Gives all that was granted: what broader scopes imply is granted with them. */
export type Widen = (granted: readonly string[]) => readonly string[];

/** The scopes of an option, each once; a TypeError that names the option if one of them is none. */
export function scopeList(scopes: readonly string[] | undefined, option: string): readonly string[] {
  if (scopes === undefined) return [];
  if (!Array.isArray(scopes) || !scopes.every(isScope)) {
    throw new TypeError(`The option "${option}" must be a list of scopes, such as ["files:read"]`);
  }
  // Whether clients get refresh tokens is between them and the authorization server.
  if (scopes.includes('offline_access')) {
    throw new TypeError(`The option "${option}" must not have "offline_access": no request needs it`);
  }
  return Object.freeze([...new Set(scopes)]);
}

/** The hierarchy of the option "implies". */
export function widening(implies: Readonly<Record<string, readonly string[]>> = {}): Widen {
  if (typeof implies !== 'object' || implies === null || Array.isArray(implies)) {
    throw new TypeError('The option "implies" must be an object, such as { admin: ["read", "write"] }');
  }
  const table = new Map(Object.entries(implies).map(([scope, implied]) => [scope, scopeList(implied, 'implies')]));
  scopeList([...table.keys()], 'implies');
  return (granted) => {
    const all = new Set(granted);
    // What is added meanwhile is visited too, so this goes all the way down, and ends where scopes imply each other.
    for (const scope of all) for (const implied of table.get(scope) ?? []) all.add(implied);
    return Object.freeze([...all]);
  };
}

/** What a token was granted: `scope` of RFC 6749, or `scp` as some authorization servers call it. */
export function grantedScopes({ scope, scp }: Readonly<Record<string, unknown>>): readonly string[] {
  const said = scope ?? scp;
  const parts: readonly unknown[] = typeof said === 'string' ? said.split(' ') : Array.isArray(said) ? said : [];
  return parts.filter((part): part is string => typeof part === 'string' && part !== '');
}

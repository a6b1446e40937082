/** What can be watched: a list by its name, or a resource by its URI. */

import type { Change } from '../protocol/model/changes.ts';

/** A list whose changes are told. */
export type ListName = Exclude<Change['type'], 'resource'>;

const LISTS: ReadonlySet<string> = new Set<ListName>(['tools', 'prompts', 'resources']);
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** True for the name of a list; anything else that is watched is a URI. */
export function isList(what: string): what is ListName {
  return LISTS.has(what);
}

/** True for the name of a list, and for what may be the URI of a resource. */
export function isWatchable(what: string): boolean {
  return isList(what) || SCHEME.test(what);
}

/** The change of exactly that. */
export function changeOf(what: string): Change {
  return isList(what) ? { type: what } : { type: 'resource', uri: what };
}

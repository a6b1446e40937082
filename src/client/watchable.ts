/** Lists (by name) and resources (by URI) that can be watched. */

import type { Change } from '../protocol/model/changes.ts';

export type ListName = Exclude<Change['type'], 'resource'>;

const LISTS: ReadonlySet<string> = new Set<ListName>(['tools', 'prompts', 'resources']);
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** Returns true for the name of a list. Other watched strings are resource URIs. */
export function isList(what: string): what is ListName {
  return LISTS.has(what);
}

/** Returns true for the name of a list, and for text that begins with a URI scheme. */
export function isWatchable(what: string): boolean {
  return isList(what) || SCHEME.test(what);
}

export function changeOf(what: string): Change {
  return isList(what) ? { type: what } : { type: 'resource', uri: what };
}

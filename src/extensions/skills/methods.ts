/** Request handlers of the skills extension, which read only the in-memory library. */

import { type Params, RpcError } from '../../entries/mcpp.ts';
import type { Library } from './library.ts';
import { MAX_FILES, SKILL_MD } from './skill.ts';

/** Maximum number of files on a page of `skills/list`. The files of one skill are always on one page. */
const PAGE_FILES = 4 * MAX_FILES;
const PAGE_CHILDREN = 1000;

/** Handler of a request. Its caller adds caching hints to the result, in revisions that have caching hints. */
export type Method = (library: Library, params: Params) => Readonly<Record<string, unknown>>;

export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    'skills/list',
    ({ entries }, params) =>
      pageOf('skills', [...entries.values()], params, ({ resources }) => resources.length, PAGE_FILES),
  ],
  [
    'skills/get',
    ({ entries }, params) => {
      const uri = uriOf(params);
      const skill = entries.get(uri);
      if (!skill) throw RpcError.invalidParams(`There is no skill with this URI; it is that of a ${SKILL_MD}`, { uri });
      return { skill };
    },
  ],
  [
    'resources/directory/read',
    ({ directories }, params) => {
      const uri = uriOf(params);
      const children = directories.get(uri);
      if (!children) throw RpcError.invalidParams('There is no directory with this URI', { uri });
      return pageOf('resources', children, params, () => 1, PAGE_CHILDREN);
    },
  ],
]);

function uriOf({ uri }: Params): string {
  if (typeof uri !== 'string') throw RpcError.invalidParams('"uri" must be a string');
  return uri;
}

/** Returns the page after a cursor. A cursor is the URI of the last item on the previous page, so it is valid on every node. */
function pageOf<Item extends { readonly uri: string }>(
  member: string,
  all: readonly Item[],
  { cursor }: Params,
  weightOf: (item: Item) => number,
  most: number,
): Readonly<Record<string, unknown>> {
  const start = cursor === undefined ? 0 : all.findIndex(({ uri }) => uri === cursor) + 1;
  if (cursor !== undefined && start === 0) {
    throw RpcError.invalidParams('"cursor" is not valid for this list; start again without one');
  }
  let [end, weight] = [start, 0];
  for (const item of all.slice(start)) {
    weight += weightOf(item);
    if (end > start && weight > most) break;
    end++;
  }
  const items = all.slice(start, end);
  const last = end < all.length ? items.at(-1) : undefined;
  return last ? { [member]: items, nextCursor: last.uri } : { [member]: items };
}

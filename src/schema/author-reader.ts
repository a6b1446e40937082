/** Reads raw schemas of authors closely: where their references lead, what their patterns may do. Loaded with the first. */

import { type Later, later } from '../jsonrpc/later.ts';
import type { JsonSchema } from './json.ts';
import { repeatsGroup, unreadable } from './pattern.ts';
import { type Read, readSchema } from './walker.ts';

/** What finds out whether a pattern may take for ever. */
export const ambiguity: Later<typeof import('./ambiguity.ts')> = later(() => import('./ambiguity.ts'));

/** Goes over one: at once, unless it has a pattern that may take for ever. */
export function readAuthors(schema: JsonSchema): Read | Promise<Read> {
  let isSuspect = false;
  const read = readSchema(schema, (pattern) => {
    isSuspect ||= repeatsGroup(pattern);
    return unreadable(pattern);
  });
  if ('fault' in read || !isSuspect) return read;
  return ambiguity.use(({ patternFault }) => readSchema(schema, patternFault));
}

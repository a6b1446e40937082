/** Entries of lists: this revision's vocabulary is the one handlers use. */

import { without } from '../without.ts';

/** The entry as it is, but for what only the experimental tasks of 2025-11-25 needed. */
export function encodeItem(item: object): object {
  return without(item, 'execution');
}

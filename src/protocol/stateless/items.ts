/** Entries of lists: this revision's vocabulary is the one handlers use. */

/** The entry as it is. */
export function encodeItem(item: object): object {
  return item;
}

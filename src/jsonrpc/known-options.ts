/** Options of functions that set something up: a key that is misspelled is an error, not a default. */

import { closest } from './closest.ts';
import { isObject } from './message.ts';
import { printable } from './printable.ts';

/** All keys of a type of options; the compiler keeps it complete. */
export type KeysOf<Options> = { readonly [Key in keyof Options]-?: true };

/**
 * Throws a TypeError if options are no object, or have a key that is not known. Keys whose value is undefined are left
 * out, as if they were not there. `where` is how the caller knows the options, such as `serveHttp`; `elsewhere` has names
 * of the same options in other libraries.
 */
export function checkOptions(
  where: string,
  options: unknown,
  known: object,
  more: readonly string[] = [],
  elsewhere: ReadonlyMap<string, string> = new Map(),
): void {
  if (options === undefined) return;
  if (!isObject(options)) throw new TypeError(`${where}: options must be an object`);
  for (const key of Object.keys(options)) {
    if (Object.hasOwn(known, key) || more.includes(key) || options[key] === undefined) continue;
    const names = [...Object.keys(known), ...more];
    const meant = elsewhere.get(key) ?? closest(key, names);
    const advice = meant === undefined ? `known: ${names.join(', ')}` : `did you mean "${meant}"?`;
    throw new TypeError(`${where}: unknown option "${printable(key, 64)}"; ${advice}`);
  }
}

/** Checks the names of options, so that a misspelled option is an error instead of being ignored. */

import { closest } from './closest.ts';
import { isObject } from './message.ts';
import { printable } from './printable.ts';

/** An object with all keys of an options type. The compiler reports keys that are missing or that the type does not have. */
export type KeysOf<Options> = { readonly [Key in keyof Options]-?: true };

/**
 * Throws a TypeError if options are not an object or have an unknown key. Keys with the value undefined are ignored. `where`
 * begins the error message, such as `serveHttp`. `known` has the allowed keys, and `more` further ones. `elsewhere` maps option
 * names of other libraries to those of this package, for the advice in the message.
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

/** Checks option names, so that a misspelled option is an error instead of being ignored. */

import { closest } from './closest.ts';
import { isObject } from './message.ts';
import { printable } from './printable.ts';

/** An object with every key of an options type. The compiler reports missing and unknown keys. */
export type KeysOf<Options> = { readonly [Key in keyof Options]-?: true };

/**
 * Throws a TypeError if `options` is not an object, or sets an option that is neither in `known` nor in `more`. The error
 * message begins with `where`. `elsewhere` maps option names of other libraries to the names that the message suggests.
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

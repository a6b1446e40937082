/** Results of handlers as data that JSON writes as an object. */

import { isObject } from '../message.ts';

/**
 * The same object if it is plain, else what JSON makes of it: `toJSON`, boxed primitives (`new String('x')`) and raw JSON
 * can turn an object into something that is no result. Throws if JSON makes no object of it, or what `toJSON` throws.
 */
export function plainResult(value: object): object {
  if (Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value)) return value;
  const text: string | undefined = JSON.stringify(value);
  const plain: unknown = text === undefined ? undefined : JSON.parse(text);
  if (isObject(plain)) return plain;
  throw new TypeError('What a handler returned is no object in JSON: check its toJSON');
}

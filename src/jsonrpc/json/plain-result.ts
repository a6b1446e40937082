import { isObject } from '../message.ts';

/** Returns plain objects unchanged and other objects as their parsed JSON. Throws a TypeError if the JSON is not an object. */
export function plainResult(value: object): object {
  if (Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value)) return value;
  const text: string | undefined = JSON.stringify(value);
  const plain: unknown = text === undefined ? undefined : JSON.parse(text);
  if (isObject(plain)) return plain;
  throw new TypeError('The result of a handler must be an object in JSON: check its toJSON');
}

import { isObject } from '../message.ts';

/**
 * Returns the result of a handler if it is a plain object, otherwise the object that its JSON text describes. Throws a TypeError
 * if the JSON text is not an object: `toJSON` may return any value, and a boxed primitive (`new String('x')`) becomes a string.
 */
export function plainResult(value: object): object {
  if (Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value)) return value;
  const text: string | undefined = JSON.stringify(value);
  const plain: unknown = text === undefined ? undefined : JSON.parse(text);
  if (isObject(plain)) return plain;
  throw new TypeError('The result of a handler must be an object in JSON: check its toJSON');
}

import { isObject } from '../message.ts';

/**
 * Returns a handler's result if it is a plain object, otherwise a copy by way of JSON. Throws if that is not an object, since
 * `toJSON` or a boxed primitive (`new String('x')`) can become anything in JSON.
 */
export function plainResult(value: object): object {
  if (Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value)) return value;
  const text: string | undefined = JSON.stringify(value);
  const plain: unknown = text === undefined ? undefined : JSON.parse(text);
  if (isObject(plain)) return plain;
  throw new TypeError('The result of a handler must be an object in JSON: check its toJSON');
}

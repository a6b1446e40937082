/** JSON Pointers (RFC 6901), which locate errors. */

import { copied, shorten } from './json.ts';
import { MAX_POINTER } from './limits.ts';

/** Appends a key to a pointer, and cuts the result to 200 characters. */
export function pointer(path: string, key: PropertyKey): string {
  return shorten(`${path}/${escaped(String(key))}`, MAX_POINTER);
}

/** Returns the JSON Pointer of a path of keys, cut to 200 characters. */
export function pointerOf(keys: Iterable<PropertyKey>): string {
  let path = '';
  for (const key of keys) {
    path = pointer(path, key);
    if (path.length >= MAX_POINTER) break;
  }
  return path;
}

/** Unescapes a token of a pointer. */
export function unescaped(token: string): string {
  return token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token;
}

function escaped(name: string): string {
  const short = name.length <= MAX_POINTER ? name : copied(name.slice(0, MAX_POINTER));
  return /[~/]/.test(short) ? short.replace(/[~/]/g, (char) => (char === '~' ? '~0' : '~1')) : short;
}

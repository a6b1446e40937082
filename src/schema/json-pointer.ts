/** JSON Pointers (RFC 6901), which locate errors and the targets of references. */

import { copied, shorten } from './json.ts';
import { MAX_POINTER } from './limits.ts';

/** Appends a key in escaped form to a JSON Pointer, and truncates the result to `MAX_POINTER` characters. */
export function pointer(path: string, key: PropertyKey): string {
  return shorten(`${path}/${escaped(String(key))}`, MAX_POINTER);
}

/** Returns the JSON Pointer made of a sequence of keys, truncated to `MAX_POINTER` characters. */
export function pointerOf(keys: Iterable<PropertyKey>): string {
  let path = '';
  for (const key of keys) {
    path = pointer(path, key);
    if (path.length >= MAX_POINTER) break;
  }
  return path;
}

export function unescaped(token: string): string {
  return token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token;
}

function escaped(name: string): string {
  const short = name.length <= MAX_POINTER ? name : copied(name.slice(0, MAX_POINTER));
  return /[~/]/.test(short) ? short.replace(/[~/]/g, (char) => (char === '~' ? '~0' : '~1')) : short;
}

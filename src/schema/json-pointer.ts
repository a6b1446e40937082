/** JSON Pointers (RFC 6901), the places of errors. */

import { copied, shorten } from './json.ts';

/** Characters of a pointer. Longer ones are cut: received names can have megabytes. */
const maxLength = 200;

/** Appends a token to a pointer, and cuts that to 200 characters. The name is cut before it is escaped. */
export function pointer(path: string, key: PropertyKey): string {
  return shorten(`${path}/${escaped(String(key))}`, maxLength);
}

/** Makes a pointer of a path of keys. Keys beyond the length of a pointer are not read. */
export function pointerOf(keys: Iterable<PropertyKey>): string {
  let path = '';
  for (const key of keys) {
    path = pointer(path, key);
    if (path.length >= maxLength) break;
  }
  return path;
}

/** Unescapes a token of a pointer. */
export function unescaped(token: string): string {
  return token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token;
}

function escaped(name: string): string {
  const short = name.length <= maxLength ? name : copied(name.slice(0, maxLength));
  return /[~/]/.test(short) ? short.replace(/[~/]/g, (char) => (char === '~' ? '~0' : '~1')) : short;
}

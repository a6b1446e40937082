/** JSON Pointers (RFC 6901) that say where something is wrong. */

import { copied, shorten } from './json.ts';

/** Characters of a pointer. Longer ones are cut: names come from the peer, and may have megabytes. */
const maxLength = 200;

/** A JSON Pointer with one more token, cut to 200 characters. The name is cut before it is escaped. */
export function pointer(path: string, key: PropertyKey): string {
  return shorten(`${path}/${escaped(String(key))}`, maxLength);
}

/** The pointer of a path of keys. Keys beyond the length of a pointer are not read. */
export function pointerOf(keys: Iterable<PropertyKey>): string {
  let path = '';
  for (const key of keys) {
    path = pointer(path, key);
    if (path.length >= maxLength) break;
  }
  return path;
}

/** The name that a token of a pointer stands for. */
export function unescaped(token: string): string {
  return token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token;
}

function escaped(name: string): string {
  const short = name.length <= maxLength ? name : copied(name.slice(0, maxLength));
  return /[~/]/.test(short) ? short.replace(/[~/]/g, (char) => (char === '~' ? '~0' : '~1')) : short;
}

/** Values of `Mcp-Name` and `Mcp-Param-*`: plain where HTTP can carry them, otherwise base64 between two marks. */

import { isObject } from '../jsonrpc/message.ts';

const PREFIX = '=?base64?';
const SUFFIX = '?=';
// What every HTTP implementation passes on unchanged: visible ASCII and single spaces in between.
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A text as a header value. */
export function encodeHeaderValue(text: string): string {
  if (PLAIN.test(text) && !isMarked(text)) return text;
  const bytes = new TextEncoder().encode(text);
  return `${PREFIX}${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}${SUFFIX}`;
}

/** The text a header value stands for; undefined if it is marked as base64 and is not. */
export function decodeHeaderValue(value: string): string | undefined {
  if (!isMarked(value)) return value;
  const encoded = value.slice(PREFIX.length, -SUFFIX.length);
  if (!BASE64.test(encoded)) return undefined;
  try {
    const text = utf8.decode(Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)));
    // One text, one encoding: bits left over in the last letter must be zero.
    return btoa(atob(encoded)) === encoded ? text : undefined;
  } catch {
    return undefined;
  }
}

/** The argument at the end of a path as text; undefined if there is none, or it is no string, integer or boolean. */
export function argumentText(args: unknown, path: readonly string[]): string | undefined {
  let at: unknown = args;
  for (const step of path) {
    if (!isObject(at) || !Object.hasOwn(at, step)) return undefined;
    at = at[step];
  }
  return typeof at === 'string' || typeof at === 'boolean' || Number.isSafeInteger(at) ? String(at) : undefined;
}

function isMarked(value: string): boolean {
  return value.length >= PREFIX.length + SUFFIX.length && value.startsWith(PREFIX) && value.endsWith(SUFFIX);
}

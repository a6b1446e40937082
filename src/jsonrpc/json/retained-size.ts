/** How much memory a received value keeps alive, as an estimate that costs less than reading the value did. */

// V8 without pointer compression, values made by JSON.parse: an object or array has up to 56 bytes, an element 8 in its array,
// a member of a large object up to 80 with its name.
const CONTAINER_BYTES = 56;
const MEMBER_BYTES = 64;
const ELEMENT_BYTES = 8;
const STRING_BYTES = 24;
// One character beyond Latin-1 makes each character of a string take two bytes. Strings of single bytes fail at once.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the class is all of Latin-1.
const WIDE = /[^\u0000-\u00ff]/;
const SHORT = 32;

// More than a transport with limits accepts, and less than the stack holds.
const MAX_DEPTH = 500;

/** The bytes of heap that a JSON value takes, roughly; `Infinity` if it is nested more than `levels` deep. */
export function retainedSize(value: unknown, levels: number = MAX_DEPTH): number {
  if (typeof value === 'string') return STRING_BYTES + textBytes(value);
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return Number.POSITIVE_INFINITY;
  let size = CONTAINER_BYTES;
  if (Array.isArray(value)) {
    for (const element of value) size += ELEMENT_BYTES + retainedSize(element, levels - 1);
    return size;
  }
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    size += MEMBER_BYTES + textBytes(name) + retainedSize(member, levels - 1);
  }
  return size;
}

function textBytes(text: string): number {
  return text.length > SHORT && WIDE.test(text) ? 2 * text.length : text.length;
}

/** Estimates the heap that a parsed JSON value takes, in less time than parsing takes. */

// Bytes of heap that each kind of value takes in V8 without pointer compression. The text of strings and of member names is
// added to them.
const CONTAINER_BYTES = 56;
const MEMBER_BYTES = 64;
const ELEMENT_BYTES = 8;
const STRING_BYTES = 24;
// Matches a character beyond Latin-1: V8 stores a string with one such character in two bytes per character.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the class is all of Latin-1.
const WIDE = /[^\u0000-\u00ff]/;
// Length up to which a string counts as Latin-1 without a test, since an estimate is enough.
const SHORT = 32;

// Levels of nesting that are measured: more than transports accept in messages, and few enough not to overflow the stack.
const MAX_DEPTH = 500;

/** Returns about how many bytes of heap a JSON value takes; `Infinity` if it is nested more than `levels` deep. */
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

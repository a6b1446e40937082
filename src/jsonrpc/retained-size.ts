/** How much memory a received value keeps alive, as an estimate that costs less than reading the value did. */

// V8 without pointer compression, values made by JSON.parse: an object or array has up to 56 bytes, an element 8 in its array,
// a member of a large object up to 80 with its name. Characters beyond Latin-1 make each character of a string take 2.
const CONTAINER_BYTES = 56;
const MEMBER_BYTES = 64;
const ELEMENT_BYTES = 8;
const STRING_BYTES = 24;
const CHARACTER_BYTES = 2;

/** The bytes of heap that a JSON value takes, roughly. The value has bounded depth, as every received message has. */
export function retainedSize(value: unknown): number {
  if (typeof value === 'string') return STRING_BYTES + value.length * CHARACTER_BYTES;
  if (typeof value !== 'object' || value === null) return 0;
  let size = CONTAINER_BYTES;
  if (Array.isArray(value)) {
    for (const element of value) size += ELEMENT_BYTES + retainedSize(element);
    return size;
  }
  for (const name in value) size += MEMBER_BYTES + name.length + retainedSize((value as Record<string, unknown>)[name]);
  return size;
}

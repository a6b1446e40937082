/** Estimates the heap size of parsed JSON values, in less time than parsing takes. */

// Heap bytes per value in V8 without pointer compression. The text of strings and member names is counted separately.
const CONTAINER_BYTES = 56;
const MEMBER_BYTES = 64;
const ELEMENT_BYTES = 8;
const STRING_BYTES = 24;
// Matches a character beyond Latin-1. V8 stores a string with such a character in two bytes per character.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the class is all of Latin-1.
const WIDE = /[^\u0000-\u00ff]/;
// Strings of up to this length count as Latin-1 without a test, because the result is only an estimate.
const SHORT = 32;

/** Returns the approximate heap size of a JSON value, in bytes. */
export function retainedSize(value: unknown): number {
  let size = 0;
  // A loop instead of recursion, which would overflow the stack: messages of up to 4 KiB are read without a limit of nesting.
  const open: unknown[] = [value];
  while (open.length > 0) {
    const each = open.pop();
    if (typeof each === 'string') size += STRING_BYTES + textBytes(each);
    if (typeof each !== 'object' || each === null) continue;
    size += CONTAINER_BYTES;
    if (Array.isArray(each)) {
      size += ELEMENT_BYTES * each.length;
      for (const element of each) open.push(element);
    } else {
      for (const name in each) {
        size += MEMBER_BYTES + textBytes(name);
        open.push((each as Record<string, unknown>)[name]);
      }
    }
  }
  return size;
}

function textBytes(text: string): number {
  return text.length > SHORT && WIDE.test(text) ? 2 * text.length : text.length;
}

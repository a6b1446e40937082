/** Bounds the size of values whose check reports every wrong part. */

/**
 * Values in a value. Schema libraries report every wrong one, and have no option to stop: zod takes up to 14 microseconds
 * for each in a union of four, and throws a RangeError above some 120,000.
 */
export const maxValues = 10_000;

/** Characters of the paths of all values together: arktype keeps a string with the path of every wrong value. */
const maxPathCharacters = 4 * 1024 * 1024;

/** Levels of a value. Received messages have fewer; a value of the same process may contain itself. */
const maxDepth = 200;

/** True if reporting every wrong part of a value takes little time and memory. */
export function isSmall(value: unknown): boolean {
  let values = 0;
  let characters = 0;
  return isWithin(value, 0, 0);

  function isWithin(each: unknown, pathLength: number, depth: number): boolean {
    values++;
    characters += pathLength;
    if (values > maxValues || characters > maxPathCharacters || depth > maxDepth) return false;
    if (typeof each !== 'object' || each === null) return true;
    if (Array.isArray(each)) {
      for (const item of each) if (!isWithin(item, pathLength + 6, depth + 1)) return false;
      return true;
    }
    for (const name of Object.keys(each)) {
      const member = (each as Record<string, unknown>)[name];
      if (!isWithin(member, pathLength + name.length + 1, depth + 1)) return false;
    }
    return true;
  }
}

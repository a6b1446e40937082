/**
 * Numbers that no double can hold: `JSON.parse` reads `1e999` as Infinity, which `JSON.stringify` writes as `null`. A value
 * that means one thing here and another when it is written again is refused.
 */

/** An exponent of three digits, or of two with a sign: smaller ones need more than 200 digits to overflow. */
const LARGE_EXPONENT = /\d[eE][+\d]\d\d/;

/** Fewer digits in a row are a number below 1e200, which an exponent of two digits does not bring to 1e308. */
const MANY_DIGITS = 200;

/** False for JSON text that has no number beyond the range of a double. True for some that have none, too. */
export function mayHaveInfiniteNumbers(text: string): boolean {
  // A run of so many digits has one at a multiple of their number.
  for (let at = MANY_DIGITS - 1; at < text.length; at += MANY_DIGITS) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) return true;
  }
  return LARGE_EXPONENT.test(text);
}

/** True if no number in a JSON value is infinite. */
export function isFiniteThroughout(value: unknown): boolean {
  // Not by recursion: the value may be nested as deep as the text was long.
  const open: unknown[] = [[value]];
  while (open.length > 0) {
    const one = open.pop() as object;
    for (const inner of Array.isArray(one) ? one : Object.values(one)) {
      if (typeof inner === 'number' && !Number.isFinite(inner)) return false;
      if (typeof inner === 'object' && inner !== null) open.push(inner);
    }
  }
  return true;
}

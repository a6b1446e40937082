/**
 * Compiles a `pattern`, with the `u` flag if possible; undefined if it is invalid. JSON Schema requires the flag, but many
 * patterns in use are valid only without it (`[\w-.]`).
 */
export function compilePattern(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {}
  }
  return undefined;
}

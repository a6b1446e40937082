/**
 * Compiles a `pattern` with the `u` flag, which JSON Schema requires. If that fails, compiles it without the flag, because many
 * patterns in use are valid only without it (`[\w-.]`). Returns undefined if both fail.
 */
export function compilePattern(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {}
  }
  return undefined;
}

/** Compiles a `pattern`. JSON Schema asks for the `u` flag, but many patterns in use are valid only without it (`[\w-.]`). */
export function compilePattern(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {}
  }
  return undefined;
}

/** Regular expressions in schemas: what can be told of them without reading them closely. */

/** How long a pattern may be. */
export const maxLength = 1024;

/** Why a `pattern` is nothing that can be used, or nothing. */
export function unreadable(pattern: string): string | undefined {
  if (pattern.length > maxLength) return `must be at most ${maxLength} characters long`;
  if (compilePattern(pattern) === undefined) return 'must be a regular expression';
  return hasModifiers(pattern) ? 'must not use modifiers such as (?i:a)' : undefined;
}

/** True if it may match one text in many ways: only a repeated group can be ambiguous without end. */
export function repeatsGroup(pattern: string): boolean {
  return /\)(?:[*+]|\{)/.test(pattern);
}

/** Patterns are meant to be read with the `u` flag; many in use are valid only without it (`[\w-.]`). */
export function compilePattern(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {}
  }
  return undefined;
}

/** Newer runtimes let a group change the flags, and with them what its characters mean. */
export function hasModifiers(pattern: string): boolean {
  return /\(\?(?:[a-z]|-)[a-z-]*:/.test(pattern.replaceAll('\\\\', '').replaceAll('\\(', ''));
}

/** Regular expressions in schemas: refused if a text could keep them busy for ever. */

import { Automaton } from './regex-automaton.ts';
import { type RegexTree, readRegex } from './regex-tree.ts';

/** How long a pattern may be. */
export const maxLength = 1024;

/**
 * Why a `pattern` is not used, or nothing. JavaScript's matcher tries every way a pattern can match a text, so a pattern
 * that can match one text in exponentially many ways, `(a+)+` or `(a|a)*`, stops the process for as long as a caller
 * likes. Such patterns are found by their meaning rather than their looks: `(-[a-z]+)*` nests quantifiers too, and is fine.
 */
export function patternFault(pattern: string): string | undefined {
  if (pattern.length > maxLength) return `must be at most ${maxLength} characters long`;
  if (compilePattern(pattern) === undefined) return 'must be a regular expression';
  if (hasModifiers(pattern)) return 'must not use modifiers such as (?i:a)';
  // Only a repeated group can be ambiguous without end; most patterns have none.
  if (!/\)(?:[*+]|\{)/.test(pattern)) return undefined;
  const lookArounds: RegexTree[] = [];
  const whole = readRegex(pattern, (inside) => lookArounds.push(inside));
  for (const tree of [whole, ...lookArounds]) {
    const { fault } = new Automaton(tree);
    if (fault !== undefined) return fault;
  }
  return undefined;
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

/** Patterns that take exponential time on some text. */

import { repeatsGroup, unreadable } from './pattern.ts';
import { Automaton } from './regex-automaton.ts';
import { type RegexTree, readRegex } from './regex-tree.ts';

/**
 * Why a `pattern` is not used, or nothing. JavaScript's matcher tries every way a pattern can match a text, so a pattern
 * that can match one text in exponentially many ways, `(a+)+` or `(a|a)*`, stops the process for as long as a caller
 * likes. Such patterns are found by their meaning rather than their looks: `(-[a-z]+)*` nests quantifiers too, and is fine.
 */
export function patternFault(pattern: string): string | undefined {
  const fault = unreadable(pattern);
  if (fault !== undefined || !repeatsGroup(pattern)) return fault;
  const lookArounds: RegexTree[] = [];
  const whole = readRegex(pattern, (inside) => lookArounds.push(inside));
  for (const tree of [whole, ...lookArounds]) {
    const { fault } = new Automaton(tree);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

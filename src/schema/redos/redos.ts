/**
 * Finds regular expressions that take exponential time on some text (ReDoS), in schemas that the application defines.
 *
 * JavaScript's matcher backtracks: if a text does not match, it tries every way in which the pattern could match parts of the
 * text. `^(a+)+$` can split n letters into groups in 2^n ways: a tool argument of 40 letters and a `!` takes hours to match.
 *
 * A pattern is refused if a loop in it can read the same text in two ways and end in the same state, because each repetition
 * of that text doubles the number of ways. The check has three steps:
 * 1. `regex-tree.ts` parses the pattern. Look-arounds are checked as separate patterns.
 * 2. `automaton.ts` builds the Glushkov automaton of the pattern: one state per character set.
 * 3. Two copies of the automaton read the same text, which gives a graph of pairs of states. The pattern is exponential if a
 *    pair of equal states and a pair of different states are in one strongly connected component of the graph.
 *
 * Counting nested quantifiers (star height) is not enough: `^[a-z]+(-[a-z]+)*$` nests quantifiers and is linear, because the
 * dash decides where a group ends; `(a|a)*` nests no quantifiers and is exponential.
 *
 * Not detected: polynomial time (`^\s*\s*$`), which `maxLength` bounds, and back references.
 */

import { MAX_PATTERN_LENGTH } from '../limits.ts';
import { Automaton } from './automaton.ts';
import { compilePattern } from './compile-pattern.ts';
import { type RegexTree, readRegex } from './regex-tree.ts';

/** Returns why a pattern is refused (too long, invalid, modifiers, exponential time); undefined if it is accepted. */
export function patternFault(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return `must be at most ${MAX_PATTERN_LENGTH} characters long`;
  if (compilePattern(pattern) === undefined) return 'must be a regular expression';
  if (hasModifiers(pattern)) return 'must not use modifiers such as (?i:a)';
  // Without a repeated group, each loop of the pattern repeats one character set, which reads a text in only one way.
  if (!/\)(?:[*+]|\{)/.test(pattern)) return undefined;
  const lookArounds: RegexTree[] = [];
  const whole = readRegex(pattern, (inside) => lookArounds.push(inside));
  for (const tree of [whole, ...lookArounds]) {
    const { fault } = new Automaton(tree);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Returns whether the pattern has a group that changes flags, such as `(?i:a)`. Only newer runtimes support such groups. */
export function hasModifiers(pattern: string): boolean {
  return /\(\?(?:[a-z]|-)[a-z-]*:/.test(pattern.replaceAll('\\\\', '').replaceAll('\\(', ''));
}

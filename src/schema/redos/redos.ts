/**
 * Finds regular expressions that take exponential time on some text (ReDoS), in the `pattern`s of an author's schemas.
 *
 * JavaScript's matcher backtracks: on a text that does not match, it tries every way in which the pattern could match a
 * part of it. `^(a+)+$` can split a run of n letters into groups in 2^n ways, so 40 letters and a `!` block the process for
 * hours. A caller of the tool chooses that text.
 *
 * The check detects exponential ambiguity: a loop that can read one text in two different ways and be in the same
 * state afterwards. Every further repetition of that text doubles the number of ways.
 *
 * How:
 * 1. `regex-tree.ts` parses the pattern into character sets, sequences, alternatives and repeats. Look-arounds are
 *    patterns of their own and are checked separately.
 * 2. `automaton.ts` builds the Glushkov automaton of the tree: one state per character set of the pattern.
 * 3. Two copies of the automaton read the same text, which gives a graph of pairs of states. The pattern is exponential if
 *    a pair of equal states and a pair of different states are in one cycle of that graph (a strongly connected component).
 *
 * Why the nesting of quantifiers (star height) is not enough: `^[a-z]+(-[a-z]+)*$`, the usual slug, nests quantifiers and is
 * linear, since the dash decides where a group ends; `(a|a)*` and `(\w|\d)*` nest none and are exponential. A rule about
 * nesting refuses the first and accepts the others.
 *
 * Not detected: polynomial time (`^\s*\s*$`), which the author's `maxLength` bounds, and back references.
 */

import { MAX_PATTERN_LENGTH } from '../limits.ts';
import { Automaton } from './automaton.ts';
import { compilePattern } from './compile-pattern.ts';
import { type RegexTree, readRegex } from './regex-tree.ts';

/** Returns why a `pattern` is refused, or undefined: not a regular expression, too long, or exponential. */
export function patternFault(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return `must be at most ${MAX_PATTERN_LENGTH} characters long`;
  if (compilePattern(pattern) === undefined) return 'must be a regular expression';
  if (hasModifiers(pattern)) return 'must not use modifiers such as (?i:a)';
  // A pattern without a repeated group needs no check: it has no loop with two ways through it.
  if (!/\)(?:[*+]|\{)/.test(pattern)) return undefined;
  const lookArounds: RegexTree[] = [];
  const whole = readRegex(pattern, (inside) => lookArounds.push(inside));
  for (const tree of [whole, ...lookArounds]) {
    const { fault } = new Automaton(tree);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** True if a group changes the flags of the pattern, such as `(?i:a)`, which newer runtimes support. */
export function hasModifiers(pattern: string): boolean {
  return /\(\?(?:[a-z]|-)[a-z-]*:/.test(pattern.replaceAll('\\\\', '').replaceAll('\\(', ''));
}

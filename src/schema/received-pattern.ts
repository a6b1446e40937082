/** Which patterns of schemas that came over the wire are used: those that can be matched in time that grows with the text. */

import { compilePattern, hasModifiers, maxLength } from './pattern.ts';
import { maxLooks, programSize } from './regex-parts.ts';
import { type RegexTree, readRegex } from './regex-tree.ts';

const maxSize = 2000;
const maxTotalSize = 40_000;

/** Says of each pattern of one received schema why it is not used, or nothing. */
export function receivedPatterns(): (pattern: string) => string | undefined {
  let total = 0;
  return (pattern) => {
    const fault = receivedPatternFault(pattern);
    if (fault !== undefined) return fault;
    total += programSize(readRegex(pattern));
    return total > maxTotalSize ? 'is one of too many long regular expressions' : undefined;
  };
}

/** Why a received `pattern` is not used, or nothing. */
export function receivedPatternFault(pattern: string): string | undefined {
  if (pattern.length > maxLength) return `must be at most ${maxLength} characters long`;
  const expression = compilePattern(pattern);
  if (expression === undefined) return 'must be a regular expression';
  const plain = pattern.replaceAll('\\\\', '');
  if (hasModifiers(pattern)) return 'must not use modifiers such as (?i:a)';
  // Old ways of writing, which mean something else with the flag, and halves of characters.
  const isOld = !expression.unicode && /\\(?:0\d|[cpPk]|u\{)|[\ud800-\udfff]/.test(plain);
  if (isOld || /\\u[dD][89a-fA-F]/.test(plain)) return 'must be a regular expression with the u flag';
  let looks = 0;
  const tree = readRegex(pattern, () => looks++);
  if (looks > maxLooks) return `must have at most ${maxLooks} look-arounds`;
  if (hasReference(tree)) return 'must not use back references';
  if (programSize(tree) > maxSize) return 'is too complex a regular expression';
  return undefined;
}

function hasReference(tree: RegexTree): boolean {
  switch (tree.kind) {
    case 'sequence':
      return tree.parts.some(hasReference);
    case 'choice':
      return tree.branches.some(hasReference);
    case 'repeat':
      return hasReference(tree.body);
    case 'look':
      return hasReference(tree.inside);
    default:
      return tree.kind === 'reference';
  }
}

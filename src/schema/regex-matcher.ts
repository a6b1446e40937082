/** Patterns of schemas that came over the wire: matched in time that grows with the text, never by `RegExp`. */

import { compilePattern, maxLength } from './pattern.ts';
import { edge, type Look, Program, programSize, type Spend } from './regex-program.ts';
import { type RegexTree, readRegex } from './regex-tree.ts';

const maxSize = 2000;

/** Whether a pattern matches somewhere in a text. Pays for every step before it is made. */
export type Matches = (text: string, spend: Spend) => boolean;

/** Why a received `pattern` is not used, or nothing. */
export function receivedPatternFault(pattern: string): string | undefined {
  if (pattern.length > maxLength) return `must be at most ${maxLength} characters long`;
  const expression = compilePattern(pattern);
  if (expression === undefined) return 'must be a regular expression';
  const plain = pattern.replaceAll('\\\\', '');
  if (/\(\?[a-z-]*:/.test(plain.replaceAll('(?:', ''))) return 'must not use modifiers such as (?i:a)';
  // Old ways of writing, which mean something else with the flag, and halves of characters.
  const isOld = !expression.unicode && /\\(?:0\d|[cpPk]|u\{)|[\ud800-\udfff]/.test(plain);
  if (isOld || /\\u[dD][89a-fA-F]/.test(plain)) return 'must be a regular expression with the u flag';
  const tree = readRegex(pattern);
  if (hasReference(tree)) return 'must not use back references';
  if (programSize(tree) > maxSize) return 'is too complex a regular expression';
  return undefined;
}

/** Makes a pattern without such a fault ready for use. */
export function matcherOf(pattern: string): Matches {
  const unicode = compilePattern(pattern)?.unicode ?? true;
  const looks: Look[] = [];
  const program = new Program(readRegex(pattern), unicode, false, looks);
  return (text, spend) => {
    spend(text.length);
    const codes = codesOf(text, unicode);
    const truths: Uint8Array[] = [];
    for (const look of looks) {
      const truth = new Uint8Array(codes.length + 1);
      sweep(look.program, codes, truths, spend, (position) => {
        truth[position] = 1;
        return false;
      });
      truths.push(truth);
    }
    return sweep(program, codes, truths, spend, () => true);
  };
}

/** Takes a machine through a text; says whether `onMatch`, told of each place where a match ends, wanted no more. */
function sweep(
  program: Program,
  codes: Uint32Array,
  truths: readonly Uint8Array[],
  spend: Spend,
  onMatch: (position: number) => boolean,
): boolean {
  const { length } = codes;
  let position = program.backward ? length : 0;
  const isTrue = (look: number): boolean => truths[look]?.[position] === 1;
  let state = program.first();
  for (let step = 0; step <= length; step++) {
    spend(1);
    position = program.backward ? length - step : step;
    const code = step === length ? edge : (codes[program.backward ? position - 1 : position] ?? edge);
    const { matched, next } = program.move(state, code, isTrue, spend);
    if (matched && onMatch(position)) return true;
    if (next.places.length === 0) return false;
    state = next;
  }
  return false;
}

function codesOf(text: string, unicode: boolean): Uint32Array {
  const codes = new Uint32Array(text.length);
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const code = (unicode ? text.codePointAt(index) : text.charCodeAt(index)) ?? 0;
    codes[count++] = code;
    if (code > 0xffff) index++;
  }
  return codes.subarray(0, count);
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

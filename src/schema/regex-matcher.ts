/** Patterns of schemas that came over the wire: matched in time that grows with the text, never by `RegExp`. */

import { compilePattern } from './pattern.ts';
import { edge, Parts, Program, type Spend } from './regex-program.ts';
import { readRegex } from './regex-tree.ts';

/** Whether a pattern matches somewhere in a text. Pays for every step before it is made. */
export type Matches = (text: string, spend: Spend) => boolean;

/** Makes a pattern ready for use that `receivedPatternFault` finds nothing wrong with. */
export function matcherOf(pattern: string): Matches {
  const unicode = compilePattern(pattern)?.unicode ?? true;
  const parts = new Parts(unicode);
  const program = new Program(readRegex(pattern), parts, false);
  if (parts.looks.length === 0) return (text, spend) => scan(program, text, unicode, spend);
  return (text, spend) => {
    spend(callCost + 3 * text.length);
    const codes = codesOf(text, unicode);
    const truths = new Uint16Array(codes.length + 1);
    for (const [look, inner] of parts.looks.entries()) {
      const found: number[] = [];
      sweep(inner, codes, truths, spend, (position) => found.push(position) === 0);
      for (const position of found) truths[position] = (truths[position] ?? 0) | (1 << look);
    }
    return sweep(program, codes, truths, spend, () => true);
  };
}

/** What it costs to begin. */
const callCost = 10;

/** So many characters are paid for at a time. */
const stride = 64;

/** Takes a machine that looks at nothing but the next character through a text, up to the first match. */
function scan(program: Program, text: string, unicode: boolean, spend: Spend): boolean {
  spend(callCost);
  let state = program.first();
  for (let index = 0; index < text.length; index++) {
    if (index % stride === 0) spend(2 * Math.min(stride, text.length - index));
    const code = (unicode ? text.codePointAt(index) : text.charCodeAt(index)) ?? 0;
    const { matched, next } = program.move(state, code, 0, spend);
    if (matched) return true;
    if (next.places.length === 0) return false;
    state = next;
    if (code > 0xffff) index++;
  }
  return program.move(state, edge, 0, spend).matched;
}

/** Takes a machine through a text; says whether `onMatch`, told of each place where a match ends, wanted no more. */
function sweep(
  program: Program,
  codes: Uint32Array,
  truths: Uint16Array,
  spend: Spend,
  onMatch: (position: number) => boolean,
): boolean {
  const { length } = codes;
  const { backward } = program;
  let state = program.first();
  for (let step = 0; step <= length; step++) {
    if (step % stride === 0) spend(3 * Math.min(stride, length + 1 - step));
    const position = backward ? length - step : step;
    const code = step === length ? edge : (codes[backward ? position - 1 : position] ?? edge);
    const { matched, next } = program.move(state, code, truths[position] ?? 0, spend);
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

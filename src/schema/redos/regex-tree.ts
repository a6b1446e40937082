/** Parses a regular expression into a tree, from which the check for exponential time (`redos.ts`) builds an automaton. */

import { compilePattern } from './compile-pattern.ts';

/**
 * A parsed regular expression. `chars` has one bit for each of `SAMPLES` that the set matches. `empty` stands for assertions,
 * look-arounds and back references, which are treated as empty text.
 */
export type RegexTree =
  | { readonly kind: 'set'; readonly chars: bigint }
  | { readonly kind: 'empty' }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexTree[] }
  | { readonly kind: 'choice'; readonly branches: readonly RegexTree[] }
  | { readonly kind: 'repeat'; readonly body: RegexTree; readonly min: number; readonly max: number };

const characters = (from: number, length: number): string[] =>
  Array.from({ length }, (_, index) => String.fromCharCode(from + index));
const ASCII = characters(0, 128);
const SPACES = [...characters(0x2000, 11), ...'\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff'];
/** Characters that stand for all characters: ASCII, all spaces, an emoji, and one non-ASCII letter of each of six scripts. */
const SAMPLES = [...ASCII, ...SPACES, ...'éжאあ中한😀'];
/** Bit mask of the samples that are neither ASCII nor spaces. */
const OTHERS = (1n << BigInt(SAMPLES.length)) - (1n << BigInt(ASCII.length + SPACES.length));
// Matches a character set whose source contains or escapes a character above ASCII, such as `[é]` and `\u00e9`.
const NAMES_OTHERS = /[\u0080-\uffff]|\\u(?!00[0-7])|\\x[89a-f]/i;

// Matches one character set: a class such as `[a-z]`, an escape or a single character.
const SET = /\[(?:\\.|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|.)|./suy;
// Matches an assertion such as `^`, or a back reference such as `\1`.
const NO_TEXT = /[$^]|\\(?:[bB1-9]|k<[^>]*>)/y;
const GROUP = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/y;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y;

/** Parses a regular expression that `RegExp` accepts. `onLookAround` gets the parsed body of each look-around. */
export function readRegex(source: string, onLookAround: (inside: RegexTree) => void = () => {}): RegexTree {
  const masks = new Map<string, bigint>();
  let at = 0;
  return choice();

  function choice(): RegexTree {
    const branches = [sequence()];
    while (skip(/\|/y)) branches.push(sequence());
    return branches.length === 1 && branches[0] ? branches[0] : { kind: 'choice', branches };
  }

  function sequence(): RegexTree {
    const parts: RegexTree[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(quantified(term()));
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'sequence', parts };
  }

  function quantified(body: RegexTree): RegexTree {
    const found = skip(QUANTIFIER);
    if (!found) return body;
    const sign = found[0][0];
    const [, least = sign === '+' ? 1 : 0, comma = sign === '{' ? undefined : ',', most = sign === '?' ? 1 : ''] =
      found;
    const min = Number(least);
    const max = comma === undefined ? min : most === '' ? Number.POSITIVE_INFINITY : Number(most);
    return { kind: 'repeat', body, min, max };
  }

  function term(): RegexTree {
    const opening = skip(GROUP)?.[0];
    if (opening !== undefined) return group(opening);
    if (skip(NO_TEXT)) return { kind: 'empty' };
    const [text = ''] = skip(SET) ?? [];
    const chars = masks.get(text) ?? maskOf(text);
    masks.set(text, chars);
    return { kind: 'set', chars };
  }

  function group(opening: string): RegexTree {
    const inside = choice();
    skip(/\)/y);
    if (!/[=!]$/.test(opening)) return inside;
    onLookAround(inside);
    return { kind: 'empty' };
  }

  // Matches a sticky pattern at the current position, and moves past the match.
  function skip(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(source) ?? undefined;
    at += found?.[0].length ?? 0;
    return found;
  }
}

/**
 * Returns the bit mask of the samples that a character set matches. A set that names a character above ASCII, or has characters
 * that no sample stands for, also gets the bits of all samples that are neither ASCII nor spaces.
 */
function maskOf(set: string): bigint {
  const pattern = compilePattern(`^(?:${set})$`);
  const mask = SAMPLES.reduce((bits, sample, bit) => (pattern?.test(sample) ? bits | (1n << BigInt(bit)) : bits), 0n);
  const isUnsampled = mask === 0n || (/\\p/i.test(set) && (mask & OTHERS) === 0n);
  return isUnsampled || NAMES_OTHERS.test(set) ? mask | OTHERS : mask;
}

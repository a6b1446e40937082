/**
 * A regular expression as a tree: character sets, sequences, alternatives, repeats, and parts that consume no text
 * (assertions, look-arounds) or are ignored (back references). The source must be valid for `RegExp`.
 */
export type RegexTree =
  | { readonly kind: 'set'; readonly chars: bigint }
  | { readonly kind: 'empty' }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexTree[] }
  | { readonly kind: 'choice'; readonly branches: readonly RegexTree[] }
  | { readonly kind: 'repeat'; readonly body: RegexTree; readonly min: number; readonly max: number };

/**
 * Samples of the characters above ASCII, one for each of three classes. A character set is a bit mask: one bit per ASCII
 * character, and one per class.
 */
const others = ['é', '\u00a0', '中'];
const samples = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), ...others];
const everything = (1n << BigInt(samples.length)) - 1n;

function maskOf(source: string): bigint {
  const matches = new RegExp(`^${source}$`, 'u');
  return samples.reduce((mask, sample, bit) => (matches.test(sample) ? mask | (1n << BigInt(bit)) : mask), 0n);
}

const named: ReadonlyMap<string, bigint> = new Map(
  ['.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S'].map((name) => [name, maskOf(name)]),
);
const controls: ReadonlyMap<string, number> = new Map(Object.entries({ n: 10, r: 13, t: 9, v: 11, f: 12, 0: 0 }));
const assertions: ReadonlySet<string> = new Set(['^', '$', '\\b', '\\B']);

function bitOf(code: number): bigint {
  if (code < 128) return 1n << BigInt(code);
  const char = String.fromCodePoint(code);
  return 1n << BigInt(/\s/.test(char) ? 129 : code < 0x250 ? 128 : 130);
}

function rangeOf(from: number, to: number): bigint {
  if (to < from) return 0n;
  let mask = 0n;
  if (from < 128) mask = (1n << BigInt(Math.min(to, 127) + 1)) - (1n << BigInt(from));
  return to < 128 ? mask : mask | bitOf(Math.max(from, 128)) | bitOf(to);
}

/** Parses a regular expression. `onLookAround` gets the pattern of each look-around. */
export function readRegex(source: string, onLookAround: (inside: RegexTree) => void = () => {}): RegexTree {
  let at = 0;
  return choice();

  function choice(): RegexTree {
    const branches = [sequence()];
    while (source[at] === '|') {
      at++;
      branches.push(sequence());
    }
    return branches.length === 1 && branches[0] ? branches[0] : { kind: 'choice', branches };
  }

  function sequence(): RegexTree {
    const parts: RegexTree[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(quantified(term()));
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'sequence', parts };
  }

  function quantified(body: RegexTree): RegexTree {
    const found = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/.exec(source.slice(at));
    if (!found) return body;
    at += found[0].length;
    const sign = found[0][0];
    if (sign === '*') return { kind: 'repeat', body, min: 0, max: Number.POSITIVE_INFINITY };
    if (sign === '+') return { kind: 'repeat', body, min: 1, max: Number.POSITIVE_INFINITY };
    if (sign === '?') return { kind: 'repeat', body, min: 0, max: 1 };
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] ? Number(found[3]) : Number.POSITIVE_INFINITY;
    return { kind: 'repeat', body, min, max };
  }

  function term(): RegexTree {
    const char = source[at];
    if (char === '(') return group();
    const assertion = char === '\\' ? source.slice(at, at + 2) : (char ?? '');
    if (assertions.has(assertion)) {
      at += assertion.length;
      return { kind: 'empty' };
    }
    if (char === '\\' && /^\\(?:[1-9]|k<)/.test(source.slice(at, at + 3))) {
      // In a pattern without named groups, `\k` matches a `k`.
      at += source[at + 1] === 'k' ? Math.max(source.indexOf('>', at) - at + 1, 2) : 2;
      return { kind: 'empty' };
    }
    if (char === '.') at++;
    const chars = char === '.' ? (named.get('.') ?? everything) : char === '[' ? characterClass() : member().mask;
    return { kind: 'set', chars };
  }

  function group(): RegexTree {
    const opening = /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/.exec(source.slice(at))?.[0] ?? '(';
    at += opening.length;
    const inside = choice();
    at++;
    if (!/[=!]$/.test(opening)) return inside;
    // A look-around consumes no text, but is matched against it like any pattern.
    onLookAround(inside);
    return { kind: 'empty' };
  }

  function characterClass(): bigint {
    const negated = source[at + 1] === '^';
    at += negated ? 2 : 1;
    let mask = 0n;
    while (at < source.length && source[at] !== ']') {
      const from = member();
      if (from.code !== undefined && source[at] === '-' && source[at + 1] !== ']') {
        at++;
        const to = member();
        mask |= to.code === undefined ? from.mask | to.mask | bitOf(45) : rangeOf(from.code, to.code);
      } else {
        mask |= from.mask;
      }
    }
    at++;
    return negated ? everything & ~mask : mask;
  }

  /** Reads one character or escape, inside or outside of a character class. */
  function member(): { mask: bigint; code?: number } {
    if (source[at] !== '\\')
      return literal(source.codePointAt(at) ?? 0, (source.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
    const set = named.get(source.slice(at, at + 2));
    if (set !== undefined) {
      at += 2;
      return { mask: set };
    }
    const text = source.slice(at);
    const property = /^\\[pP]\{[^}]*\}/.exec(text)?.[0];
    if (property) {
      at += property.length;
      return { mask: propertyMask(property) };
    }
    const hex = /^\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]+)\})/.exec(text);
    if (hex) return literal(Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '0', 16), hex[0].length);
    if (/^\\c[A-Za-z]/.test(text)) return literal(text.charCodeAt(2) % 32, 3);
    const control = controls.get(text[1] ?? '');
    return control === undefined ? literal(text.codePointAt(1) ?? 92, 2) : literal(control, 2);
  }

  function literal(code: number, length: number): { mask: bigint; code: number } {
    at += length;
    return { mask: bitOf(code), code };
  }
}

function propertyMask(property: string): bigint {
  try {
    return maskOf(property);
  } catch {
    return everything;
  }
}

/** Parses URI templates (RFC 6570). */

import { shorten } from '../../../jsonrpc/printable.ts';

export interface UriTemplate {
  readonly template: string;
  /** Names of all variables, without duplicates, in the order of first use. */
  readonly variables: readonly string[];
  readonly parts: readonly Part[];
}

/** An operator of expressions, such as `?` in `{?x}`, with its properties from the table in RFC 6570, appendix A. */
export interface Operator {
  readonly symbol: string;
  /** Text that precedes the first value in a URI: `?` for `{?x}`, empty for `{x}`. */
  readonly first: string;
  readonly separator: string;
  /** True if a URI contains values as `name=value`, as for `{?x}`. */
  readonly named: boolean;
  /** True if values may contain reserved characters (RFC 3986) without percent-encoding. */
  readonly reserved: boolean;
}

export interface Variable {
  readonly name: string;
  /** True for `{name*}`, whose value is a list. */
  readonly explode: boolean;
  /** Maximum length of the value, in characters: 3 for `{name:3}`, undefined for `{name}`. */
  readonly prefix: number | undefined;
}

/** The parsed part of a template between `{` and `}`, such as `{?x,y}`. */
export interface Expression {
  readonly operator: Operator;
  readonly variables: readonly Variable[];
}

/** A literal, in which non-ASCII characters are percent-encoded, or an expression. */
export type Part = string | Expression;

const MAX_LENGTH = 8192;
const MAX_VARIABLES = 64;

const operator = (symbol: string, first: string, separator: string, named = false, reserved = false): Operator => ({
  symbol,
  first,
  separator,
  named,
  reserved,
});
const simple = operator('', '', ',');
const operators: ReadonlyMap<string, Operator> = new Map(
  [
    operator('+', '', ',', false, true),
    operator('#', '#', ',', false, true),
    operator('.', '.', '.'),
    operator('/', '/', '/'),
    operator(';', ';', ';', true),
    operator('?', '?', '&', true),
    operator('&', '&', '&', true),
  ].map((one) => [one.symbol, one]),
);

/** Parses a URI template. Throws a `TypeError` with the position of the first error. */
export function parseUriTemplate(template: string): UriTemplate {
  const fail: Fail = (what, at) => {
    throw new TypeError(`URI template "${shorten(template)}": ${what} at position ${at}`);
  };
  if (template.length > MAX_LENGTH) fail(`more than ${MAX_LENGTH} characters`, MAX_LENGTH);

  const parts: Part[] = [];
  const names: string[] = [];
  for (let at = 0; at < template.length; ) {
    const open = template.indexOf('{', at);
    const end = open === -1 ? template.length : open;
    if (end > at) parts.push(literalOf(template.slice(at, end), at, fail));
    if (open === -1) break;

    const close = template.indexOf('}', open);
    if (close === -1) fail('"{" is never closed', open);
    const expression = expressionOf(template.slice(open + 1, close), open + 1, fail);
    names.push(...expression.variables.map(({ name }) => name));
    if (names.length > MAX_VARIABLES) fail(`more than ${MAX_VARIABLES} variables`, open);
    // Adjacent expressions such as `{x}{y}` are refused, because `matchUri` could not tell where the value of `x` ends.
    if (typeof parts.at(-1) === 'object' && expression.operator.first === '') {
      fail('no character separates this expression from the one before it', open);
    }
    parts.push(expression);
    at = close + 1;
  }
  return { template, variables: [...new Set(names)], parts };
}

type Fail = (what: string, at: number) => never;

function expressionOf(inside: string, at: number, fail: Fail): Expression {
  const operator = operators.get(inside[0] ?? '') ?? simple;
  const texts = inside.slice(operator.symbol.length).split(',');
  let start = at + operator.symbol.length;
  let lists = 0;
  const variables = texts.map((text) => {
    const match = VARIABLE.exec(text);
    if (!match?.[1]) return fail(`"${shorten(text, 32)}" is not a variable`, start);
    const explode = match[3] !== undefined;
    // A second list, as in `{x*,y*}`, is refused, because `matchUri` could not tell where the list `x` ends.
    if (explode && !operator.named && lists++ > 0) fail('a second variable with "*"', start);
    start += text.length + 1;
    return { name: match[1], explode, prefix: match[2] === undefined ? undefined : Number(match[2]) };
  });
  return { operator, variables };
}

// A variable name, then optionally `:length` or `*`. Each text matches in at most one way, so matching takes linear time.
const VARIABLE = /^((?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*)(?::([1-9]\d{0,3})|(\*))?$/;

function literalOf(text: string, at: number, fail: Fail): string {
  for (const { 0: wrong, index } of text.matchAll(/%(?:[0-9A-Fa-f]{2})?|[^!#-;=?-[\]_a-z~\u0080-\uffff]/g)) {
    if (wrong.length === 1) fail(`${JSON.stringify(wrong)} is not allowed`, at + index);
  }
  return encodeNonAscii(text) ?? fail('half of a surrogate pair', at);
}

/** Percent-encodes all non-ASCII characters. Returns undefined if the text contains a lone surrogate. */
export function encodeNonAscii(text: string): string | undefined {
  try {
    return text.replace(/[\u0080-\uffff]+/g, encodeURIComponent);
  } catch {
    return undefined;
  }
}

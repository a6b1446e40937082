/** URI templates (RFC 6570): parsing, and which characters a template may have. */

import { shorten } from '../../../jsonrpc/printable.ts';

/** A template that was read. */
export interface UriTemplate {
  readonly template: string;
  /** The names of its variables, each once, in the order they occur. */
  readonly variables: readonly string[];
  readonly parts: readonly Part[];
}

/** Reads a template; throws a `TypeError` that says what is wrong with it and where. */
export function parseUriTemplate(template: string): UriTemplate {
  const parts = parseTemplate(template);
  const names = parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables.map(({ name }) => name)));
  return { template, variables: [...new Set(names)], parts };
}

/** How an expression is written out: one row of the table in RFC 6570, appendix A. */
export interface Operator {
  readonly symbol: string;
  /** What an expression with any value begins with. */
  readonly first: string;
  readonly separator: string;
  /** Values come as `name=value`. */
  readonly named: boolean;
  /** Reserved characters stand for themselves. */
  readonly reserved: boolean;
}

/** One variable of an expression, with its modifier. */
export interface Variable {
  readonly name: string;
  readonly explode: boolean;
  /** `{name:3}`: only that many characters of the value. */
  readonly prefix: number | undefined;
}

/** What stands between braces. */
export interface Expression {
  readonly operator: Operator;
  readonly variables: readonly Variable[];
}

/** A literal, encoded as a URI has it, or an expression. */
export type Part = string | Expression;

const MAX_LENGTH = 8192;
const MAX_VARIABLES = 64;

const simple: Operator = { symbol: '', first: '', separator: ',', named: false, reserved: false };
const operators: ReadonlyMap<string, Operator> = new Map(
  [
    { ...simple, symbol: '+', reserved: true },
    { ...simple, symbol: '#', first: '#', reserved: true },
    { ...simple, symbol: '.', first: '.', separator: '.' },
    { ...simple, symbol: '/', first: '/', separator: '/' },
    { ...simple, symbol: ';', first: ';', separator: ';', named: true },
    { ...simple, symbol: '?', first: '?', separator: '&', named: true },
    { ...simple, symbol: '&', first: '&', separator: '&', named: true },
  ].map((operator) => [operator.symbol, operator]),
);

/** Reads a template; throws a `TypeError` that says what is wrong and where. */
export function parseTemplate(template: string): readonly Part[] {
  const fail: Fail = (what, at) => {
    throw new TypeError(`URI template "${shorten(template)}": ${what} at position ${at}`);
  };
  if (template.length > MAX_LENGTH) fail(`more than ${MAX_LENGTH} characters`, MAX_LENGTH);

  const parts: Part[] = [];
  let variables = 0;
  for (let at = 0; at < template.length; ) {
    const open = template.indexOf('{', at);
    const end = open === -1 ? template.length : open;
    if (end > at) parts.push(literalOf(template.slice(at, end), at, fail));
    if (open === -1) break;

    const close = template.indexOf('}', open);
    if (close === -1) fail('"{" is never closed', open);
    const expression = expressionOf(template.slice(open + 1, close), open + 1, fail);
    variables += expression.variables.length;
    if (variables > MAX_VARIABLES) fail(`more than ${MAX_VARIABLES} variables`, open);
    // A value can only be found again if something says where it ends.
    if (typeof parts.at(-1) === 'object' && expression.operator.first === '') {
      fail('no character separates this expression from the one before it', open);
    }
    parts.push(expression);
    at = close + 1;
  }
  return parts;
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
    // Of two lists in a row nobody could say where the first ends.
    if (explode && !operator.named && lists++ > 0) fail('a second variable with "*"', start);
    start += text.length + 1;
    return { name: match[1], explode, prefix: match[2] === undefined ? undefined : Number(match[2]) };
  });
  return { operator, variables };
}

// Name, then `:length` or `*`. No character can be read in two ways, so this takes linear time.
const VARIABLE = /^((?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*)(?::([1-9]\d{0,3})|(\*))?$/;

function literalOf(text: string, at: number, fail: Fail): string {
  for (const { 0: wrong, index } of text.matchAll(/%(?:[0-9A-Fa-f]{2})?|[^!#-;=?-[\]_a-z~\u0080-\uffff]/g)) {
    if (wrong.length === 1) fail(`${JSON.stringify(wrong)} is not allowed`, at + index);
  }
  return encodeNonAscii(text) ?? fail('half of a surrogate pair', at);
}

/** Text with everything beyond ASCII percent-encoded; undefined if it is not well-formed Unicode. */
export function encodeNonAscii(text: string): string | undefined {
  try {
    return text.replace(/[\u0080-\uffff]+/g, encodeURIComponent);
  } catch {
    return undefined;
  }
}

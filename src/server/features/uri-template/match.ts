/** A URI to values: the way back from an expansion, in one pass and without backtracking. */

import type { Expression, Operator, Part, UriTemplate, Variable } from './uri-template.ts';

/** What a URI says of a template's variables; those with `*` are lists. */
export type UriTemplateMatch = Map<string, string | string[]>;

type Matcher = (uri: string) => UriTemplateMatch | undefined;

const matchers = new WeakMap<UriTemplate, Matcher>();

/**
 * The values a URI has for the variables of a template, percent-decoded; undefined if the URI does not fit. The URI is
 * given as `encodeNonAscii` writes it, so that it is encoded once for all templates.
 *
 * The RFC leaves matching open; here it takes linear time and follows these rules:
 * - a value ends where that which follows it in the template first occurs; a literal at the end of the template is
 *   looked for at the end of the URI;
 * - `{x}`, `{.x}` and `{/x}` take one or more characters a path segment may have, `{+x}` and `{#x}` any;
 * - `{?x,y}`, `{&x,y}` and `{;x,y}` may come in any order or be missing, and parameters of other names are ignored;
 * - `{x*}` gives a list, `{x:3}` takes at most three characters, and a variable used twice must have one value;
 * - two expressions with nothing between them to tell them apart, like `{x}{y}`, are refused.
 */
export function matchUri(template: UriTemplate, uri: string): UriTemplateMatch | undefined {
  const known = matchers.get(template);
  const matcher = known ?? matcherOf(template.parts);
  if (!known) matchers.set(template, matcher);
  return matcher(uri);
}

function matcherOf(template: readonly Part[]): Matcher {
  const parts = joinNamed(template);
  const last = parts.at(-1);
  // A literal at the end can only be at the end: so `{name}.md` fits `a.md.md`.
  const suffix = parts.length > 1 && typeof last === 'string' ? last : '';
  if (suffix !== '') parts.pop();
  const steps = parts.map((part, index) =>
    typeof part === 'string' ? literalStep(part) : valueStep(part, parts, index),
  );

  const prefix = typeof parts[0] === 'string' ? parts[0] : '';

  return (uri) => {
    if (!uri.startsWith(prefix) || !uri.endsWith(suffix)) return undefined;
    const body = uri.slice(0, uri.length - suffix.length);
    const found: Found[] = [];
    let at = 0;
    for (const step of steps) {
      at = step(body, at, found);
      if (at === -1) return undefined;
    }
    return at === body.length ? agreed(found) : undefined;
  };
}

type Found = readonly [variable: Variable, value: string | string[]];

/** Reads on from a place in a URI to the place it returns, or -1. */
type Step = (uri: string, at: number, found: Found[]) => number;

function literalStep(literal: string): Step {
  return (uri, at) => (uri.startsWith(literal, at) ? at + literal.length : -1);
}

function valueStep(expression: Expression, parts: readonly Part[], index: number): Step {
  const { operator } = expression;
  const read = operator.named ? readNamed : readListed;
  // The value ends where anything that may follow first occurs. What is named may be missing, then the next may follow.
  const optional: string[] = [];
  let required: string | undefined;
  for (let next = index + 1; next < parts.length && required === undefined; next++) {
    const part = parts[next];
    if (typeof part === 'object' && part.operator.named) optional.push(part.operator.first);
    else if (part !== undefined) required = typeof part === 'string' ? part : part.operator.first;
  }
  return (uri, at, found) => {
    const own = uri.startsWith(operator.first, at) ? operator.first.length : 0;
    const from = at + own + (operator.named ? 0 : 1);
    let end = required === undefined ? uri.length : uri.indexOf(required, from);
    if (end === -1) return -1;
    for (const first of optional) {
      const place = uri.indexOf(first, from);
      if (place !== -1 && place < end) end = place;
    }
    return read(uri.slice(at, end), expression, found) ? end : -1;
  };
}

// `{x,y}`, `{/x,y}` and the like: one value after the other. The list, or else the last, takes what is left over.
function readListed(text: string, { operator, variables }: Expression, found: Found[]): boolean {
  const { first, separator } = operator;
  const texts = text.slice(first.length).split(separator);
  const over = texts.length - variables.length;
  if (!text.startsWith(first) || over < 0) return false;
  const list = variables.findIndex(({ explode }) => explode);
  const taker = list === -1 ? variables.length - 1 : list;
  let at = 0;
  for (const [index, variable] of variables.entries()) {
    const end = at + 1 + (index === taker ? over : 0);
    const own = texts.slice(at, end);
    const values: string[] = [];
    for (const piece of variable.explode ? own : [own.join(separator)]) {
      const value = decode(piece, operator);
      if (!value) return false;
      values.push(value);
    }
    found.push([variable, variable.explode ? values : values.join()]);
    at = end;
  }
  return true;
}

// `{?x,y}`, `{&x,y}` and `{;x,y}`: in any order, any of them missing. Names the template does not know are ignored.
function readNamed(text: string, { operator, variables }: Expression, found: Found[]): boolean {
  if (text === '') return true;
  if (!text.startsWith(operator.first)) return false;
  const values = new Map<string, string[]>();
  for (const pair of text.slice(operator.first.length).split(operator.separator)) {
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1), operator);
    if (value === undefined || decode(name, operator) === undefined) return false;
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  for (const variable of variables) {
    const given = values.get(variable.name);
    if (!given) continue;
    // Who writes a parameter twice might mean either.
    if (!variable.explode && given.length > 1) return false;
    found.push([variable, variable.explode ? given : given.join()]);
  }
  return true;
}

// `{?x}{&y}` is one query, whose parameters can come in any order.
function joinNamed(template: readonly Part[]): Part[] {
  const parts: Part[] = [];
  for (const part of template) {
    const before = parts.at(-1);
    const joins =
      typeof part === 'object' &&
      typeof before === 'object' &&
      before.operator.named &&
      part.operator.named &&
      part.operator.first === before.operator.separator;
    if (joins) parts[parts.length - 1] = { ...before, variables: [...before.variables, ...part.variables] };
    else parts.push(part);
  }
  return parts;
}

const PERCENT = 0x25;
const UNRESERVED = tableOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~%');
// An expansion would encode these too, but clients write `users://a@b.example` as it is.
const SEGMENT = tableOf(":@!$&'()*+;=", UNRESERVED);
const QUERY = tableOf('/?[],', SEGMENT);
const ALL = tableOf('#', QUERY);

function tableOf(characters: string, base: Uint8Array = new Uint8Array(128)): Uint8Array {
  const table = base.slice();
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

// Undefined if the text has a character that this operator does not let through, or is not percent-encoded properly.
function decode(text: string, operator: Operator): string | undefined {
  const table = operator.reserved ? ALL : operator.separator === '&' ? QUERY : SEGMENT;
  let encoded = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (table[code] !== 1) return undefined;
    if (code === PERCENT) encoded = true;
  }
  if (!encoded) return text;
  try {
    const value = decodeURIComponent(text);
    // Nothing a URI names has a NUL in it, and what is behind the handler may end its strings there.
    return value.includes('\0') ? undefined : value;
  } catch {
    return undefined;
  }
}

// A variable that occurs twice must have one value; where one is a prefix, it must be the other's beginning.
function agreed(found: readonly Found[]): UriTemplateMatch | undefined {
  const match: UriTemplateMatch = new Map();
  const wholeFirst = [...found].sort(([a], [b]) => Number(a.prefix !== undefined) - Number(b.prefix !== undefined));
  for (const [{ name, prefix }, value] of wholeFirst) {
    const known = match.get(name);
    if (known === undefined) {
      if (prefix !== undefined && firstCharacters(String(value), prefix) !== value) return undefined;
      match.set(name, value);
    } else {
      const expected = prefix === undefined ? known : firstCharacters(String(known), prefix);
      if (JSON.stringify(expected) !== JSON.stringify(value)) return undefined;
    }
  }
  return match;
}

/** The first characters of a text, a pair of surrogates counting as one. */
export function firstCharacters(text: string, count: number): string {
  return text.length <= count ? text : Array.from(text).slice(0, count).join('');
}

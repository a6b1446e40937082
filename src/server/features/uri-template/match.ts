/** Matches URIs with URI templates, in linear time and without backtracking. */

import type { Expression, Operator, Part, UriTemplate, Variable } from './uri-template.ts';

/** Values of a URI template's variables, by name. The value of a variable with `*` is an array. */
export type UriTemplateMatch = Map<string, string | string[]>;

type Matcher = (uri: string) => UriTemplateMatch | undefined;

const matchers = new WeakMap<UriTemplate, Matcher>();

/**
 * Returns the percent-decoded values of a template's variables in a URI; undefined if the URI does not match. The URI must be
 * the output of `encodeNonAscii`: callers that try several templates encode it only once.
 *
 * RFC 6570 defines expansion only. Matching follows these rules:
 * - a value ends at the first occurrence of the next literal; a literal at the end of the template must end the URI;
 * - `{x}`, `{.x}` and `{/x}` match one or more characters of a path segment, `{+x}` and `{#x}` any characters;
 * - parameters of `{?x,y}`, `{&x,y}` and `{;x,y}` may be in any order or missing, and unknown parameters are ignored;
 * - `{x*}` matches a list, `{x:3}` at most three characters, and a variable used twice must have equal values;
 * - `parseUriTemplate` refuses adjacent expressions without a separator, such as `{x}{y}`.
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
  // The last literal is matched at the end of the URI, so that `{name}.md` matches `a.md.md`.
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

/** Matches one part of a template at a position of the URI. Returns the position after the match, or -1. */
type Step = (uri: string, at: number, found: Found[]) => number;

function literalStep(literal: string): Step {
  return (uri, at) => (uri.startsWith(literal, at) ? at + literal.length : -1);
}

function valueStep(expression: Expression, parts: readonly Part[], index: number): Step {
  const { operator } = expression;
  const read = operator.named ? readNamed : readListed;
  // A value ends at the first text that can follow it. Named expressions may be missing, so the part after them can follow, too.
  const optional: string[] = [];
  let required: string | undefined;
  for (let next = index + 1; next < parts.length && required === undefined; next++) {
    const part = parts[next];
    if (typeof part === 'object' && part.operator.named) optional.push(part.operator.first);
    else if (part !== undefined) required = typeof part === 'string' ? part : part.operator.first;
  }
  return (uri, at, found) => {
    const prefix = uri.startsWith(operator.first, at) ? operator.first.length : 0;
    const from = at + prefix + (operator.named ? 0 : 1);
    let end = required === undefined ? uri.length : uri.indexOf(required, from);
    if (end === -1) return -1;
    for (const first of optional) {
      const index = uri.indexOf(first, from);
      if (index !== -1 && index < end) end = index;
    }
    return read(uri.slice(at, end), expression, found) ? end : -1;
  };
}

// Reads values in order, as in `{x,y}` and `{/x,y}`. Surplus values go to the variable with `*`, otherwise to the last one.
function readListed(text: string, { operator, variables }: Expression, found: Found[]): boolean {
  const { first, separator } = operator;
  const texts = text.slice(first.length).split(separator);
  const surplus = texts.length - variables.length;
  if (!text.startsWith(first) || surplus < 0) return false;
  const list = variables.findIndex(({ explode }) => explode);
  const surplusIndex = list === -1 ? variables.length - 1 : list;
  let at = 0;
  for (const [index, variable] of variables.entries()) {
    const end = at + 1 + (index === surplusIndex ? surplus : 0);
    const pieces = texts.slice(at, end);
    const values: string[] = [];
    for (const piece of variable.explode ? pieces : [pieces.join(separator)]) {
      const value = decode(piece, operator);
      if (!value) return false;
      values.push(value);
    }
    found.push([variable, variable.explode ? values : values.join()]);
    at = end;
  }
  return true;
}

// Reads `name=value` pairs in any order, as in `{?x,y}`. Variables may be missing, and unknown names are ignored.
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
    // A repeated parameter is ambiguous, unless the variable is a list.
    if (!variable.explode && given.length > 1) return false;
    found.push([variable, variable.explode ? given : given.join()]);
  }
  return true;
}

// Joins adjacent expressions such as `{?x}{&y}` to one, since query parameters may be in any order.
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
// RFC 6570 percent-encodes these characters in values. They are accepted, since clients send URIs such as `users://a@b.example`.
const SEGMENT = tableOf(":@!$&'()*+;=", UNRESERVED);
const QUERY = tableOf('/?[],', SEGMENT);
const ALL = tableOf('#', QUERY);

function tableOf(characters: string, base: Uint8Array = new Uint8Array(128)): Uint8Array {
  const table = base.slice();
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

// Percent-decodes a value. Returns undefined for a character that the operator does not allow, and for invalid percent-encoding.
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
    // NUL is refused: file systems and C libraries would cut the value there.
    return value.includes('\0') ? undefined : value;
  } catch {
    return undefined;
  }
}

// Makes the match of all values that were found. A variable that is used twice must have equal values; a value of `{x:3}`
// must be the prefix of the other.
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

/** Returns the first `count` characters of a text. A surrogate pair counts as one character. */
export function firstCharacters(text: string, count: number): string {
  return text.length <= count ? text : Array.from(text).slice(0, count).join('');
}

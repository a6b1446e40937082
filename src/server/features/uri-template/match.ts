/** Matches URIs against URI templates in linear time, without backtracking. */

import type { Expression, Operator, Part, UriTemplate, Variable } from './uri-template.ts';

/** Values of a URI template's variables, keyed by variable name. The value of `{name*}` is an array. */
export type UriTemplateMatch = Map<string, string | string[]>;

type Matcher = (uri: string) => UriTemplateMatch | undefined;

const matchers = new WeakMap<UriTemplate, Matcher>();

/**
 * Returns the percent-decoded values of the template's variables in a URI; undefined if the URI does not match. `uri` must be
 * the output of `encodeNonAscii`. RFC 6570 defines only the expansion of templates. Matching follows these rules:
 * - A value ends at the first occurrence of the next literal. A literal at the end of the template must end the URI.
 * - `{x}`, `{.x}` and `{/x}` match one or more characters of a path segment, `{+x}` and `{#x}` one or more of any characters.
 * - Parameters of `{?x,y}`, `{&x,y}` and `{;x,y}` can be missing or in any order. Unknown parameters are ignored.
 * - `{x*}` matches a list, and `{x:3}` at most three characters. A variable that is used twice must have equal values.
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

  return (uri) => {
    if (!uri.endsWith(suffix)) return undefined;
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

/** Matches one part of a template at position `at`; adds values to `found`. Returns the position after the match, or -1. */
type Step = (uri: string, at: number, found: Found[]) => number;

function literalStep(literal: string): Step {
  return (uri, at) => (uri.startsWith(literal, at) ? at + literal.length : -1);
}

function valueStep(expression: Expression, parts: readonly Part[], index: number): Step {
  const { operator } = expression;
  const read = operator.named ? readNamed : readListed;
  // A value ends where the next part of the template starts. A URI can lack named expressions, such as `{?y}` (`optional`), so the
  // value ends at the first of them that the URI has, or else at the first other part (`required`).
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

// Reads values by position, as in `{x,y}` and `{/x*,y}`. Surplus values go to the variable with `*`, or else to the last one.
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

// Reads `name=value` pairs in any order, as in `{?x,y}`. Variables can be missing, and pairs with unknown names are ignored.
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
    // A repeated parameter is ambiguous unless its variable is a list (`{?x*}`), so the URI does not match.
    if (!variable.explode && given.length > 1) return false;
    found.push([variable, variable.explode ? given : given.join()]);
  }
  return true;
}

// Merges adjacent expressions such as `{?x}{&y}` into `{?x,y}`, because query parameters can be in any order.
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

// Characters that values can contain: more than RFC 6570 leaves unencoded, as clients send URIs such as `users://a@b.example`.
const SEGMENT = /^[\w.~%:@!$&'()*+;=-]*$/;
const QUERY = /^[\w.~%:@!$&'()*+;=/?[\],-]*$/;
const ALL = /^[\w.~%:@!$&'()*+;=/?[\],#-]*$/;

// Percent-decodes a text. Returns undefined if the operator does not allow a character, or if the encoding is invalid.
function decode(text: string, operator: Operator): string | undefined {
  const allowed = operator.reserved ? ALL : operator.separator === '&' ? QUERY : SEGMENT;
  if (!allowed.test(text)) return undefined;
  try {
    const value = decodeURIComponent(text);
    // NUL is refused, because file systems and C libraries would truncate the value there.
    return value.includes('\0') ? undefined : value;
  } catch {
    return undefined;
  }
}

// Returns the values by variable name; undefined if two values of a variable differ. `{x:3}` must equal the start of `{x}`.
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

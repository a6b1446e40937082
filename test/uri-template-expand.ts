/** Values to a URI: RFC 6570, section 3.2. */

import { firstCharacters } from '../src/server/features/uri-template/match.ts';
import type { Expression, Operator, Part, Variable } from '../src/server/features/uri-template/uri-template.ts';

/** What a variable can stand for: text, a list, or names with values. */
export type UriTemplateValue = string | readonly string[] | Readonly<Record<string, string>>;

/** Values by variable; a variable without one is left out. */
export type UriTemplateValues = Readonly<Record<string, UriTemplateValue | undefined>>;

/** Writes a template out with these values. */
export function expandTemplate(parts: readonly Part[], values: UriTemplateValues): string {
  return parts.map((part) => (typeof part === 'string' ? part : expandExpression(part, values))).join('');
}

function expandExpression({ operator, variables }: Expression, values: UriTemplateValues): string {
  const pieces: string[] = [];
  for (const variable of variables) {
    // Only what the caller wrote counts: a variable may well be called `constructor`.
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
    const text = value === undefined ? undefined : expandValue(operator, variable, value);
    if (text !== undefined) pieces.push(text);
  }
  return pieces.length === 0 ? '' : operator.first + pieces.join(operator.separator);
}

function expandValue(operator: Operator, variable: Variable, value: UriTemplateValue): string | undefined {
  const { name, prefix, explode } = variable;
  const write = (text: string): string => encode(text, operator.reserved);
  if (typeof value === 'string') {
    return withName(operator, name, write(prefix === undefined ? value : firstCharacters(value, prefix)));
  }
  if (prefix !== undefined) throw new TypeError(`URI template: "${name}:${prefix}" needs text, not a list`);

  if (isList(value)) {
    if (value.length === 0) return undefined;
    if (!explode) return withName(operator, name, value.map(write).join(','));
    return value
      .map((item) => (operator.named ? withName(operator, name, write(item)) : write(item)))
      .join(operator.separator);
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return undefined;
  if (!explode) return withName(operator, name, entries.flat().map(write).join(','));
  const pair = ([key, item]: [string, string]): string =>
    operator.named ? withName(operator, write(key), write(item)) : `${write(key)}=${write(item)}`;
  return entries.map(pair).join(operator.separator);
}

function withName(operator: Operator, name: string, text: string): string {
  if (!operator.named) return text;
  // Only path parameters are written without it.
  return name + (text === '' && operator.symbol === ';' ? '' : `=${text}`);
}

function isList(value: UriTemplateValue): value is readonly string[] {
  return Array.isArray(value);
}

function encode(text: string, reserved: boolean): string {
  if (!reserved) return encodeURIComponent(text).replace(/[!'()*]/g, percent);
  // `encodeURI` knows an older set of reserved characters, and encodes what is encoded already.
  return encodeURI(text)
    .replaceAll('%5B', '[')
    .replaceAll('%5D', ']')
    .replace(/%25([0-9A-Fa-f]{2})/g, '%$1');
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** The keywords and dialects of JSON Schema: which keywords hold schemas, and what the values of the others must be. */

import { isObject } from '../../jsonrpc/message.ts';

export type Dialect = '2020-12' | 'draft-07' | 'draft-06';

const dialects: ReadonlyMap<string, Dialect> = new Map<string, Dialect>([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft-06/schema', 'draft-06'],
]);

/**
 * Returns the dialect of a `$schema` URI, with `http:` or `https:`, with or without an empty fragment; undefined if it is not
 * supported.
 */
export function dialectOf(uri: string): Dialect | undefined {
  return dialects.get(uri.replace(/^https?:\/\//, '').replace(/#$/, ''));
}

/**
 * How the value of a keyword holds schemas: as one schema, in an array, or by name. `items` and `dependencies` have two forms.
 */
export type Holds = 'schema' | 'schemas' | 'named-schemas' | 'items' | 'dependencies';

/** Keywords that hold schemas, and how. All code that traverses schemas uses this table. */
export const subschemas: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  ...group('schema', 'additionalProperties unevaluatedProperties propertyNames unevaluatedItems additionalItems'),
  ...group('schema', 'contains contentSchema not if then else'),
  ...group('schemas', 'allOf anyOf oneOf prefixItems'),
  ...group('named-schemas', 'properties patternProperties dependentSchemas $defs definitions'),
  ['items', 'items'],
  ['dependencies', 'dependencies'],
]);

function group<T extends string | object>(value: T, keywords: string): [string, T][] {
  return keywords.split(' ').map((keyword) => [keyword, value]);
}

const typeNames: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);

const isTypeName = (value: unknown): boolean => typeNames.has(value);
const isString = (value: unknown): boolean => typeof value === 'string';
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isNumber = (value: unknown): boolean => Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every(isString);

interface Rule {
  readonly fits: (value: unknown) => boolean;
  readonly expected: string;
}

const string: Rule = { fits: isString, expected: 'must be a string' };
const boolean: Rule = { fits: isBoolean, expected: 'must be true or false' };
const number: Rule = { fits: isNumber, expected: 'must be a number' };
const positive: Rule = { fits: (value) => isNumber(value) && Number(value) > 0, expected: 'must be a number above 0' };
const count: Rule = { fits: isCount, expected: 'must be an integer of at least 0' };
const names: Rule = { fits: isNames, expected: 'must be an array of strings' };
const list: Rule = { fits: Array.isArray, expected: 'must be an array' };
const limit: Rule = {
  fits: isNumber,
  expected: 'must be a number (true and false are of draft-04, which is not supported)',
};
const type: Rule = {
  fits: (value) => isTypeName(value) || (Array.isArray(value) && value.length > 0 && value.every(isTypeName)),
  expected: 'must be string, number, integer, boolean, null, array or object, or an array of these',
};
const namedNames: Rule = {
  fits: (value) => isObject(value) && Object.values(value).every(isNames),
  expected: 'must be an object of arrays of strings',
};

/**
 * Rules for the values of keywords that hold no schema. A schema that breaks a rule is refused, since the engine would silently
 * ignore the keyword.
 */
const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['type', type],
  ['required', names],
  ['dependentRequired', namedNames],
  ['multipleOf', positive],
  ...group(list, 'enum examples'),
  ...group(number, 'minimum maximum'),
  ...group(limit, 'exclusiveMinimum exclusiveMaximum'),
  ...group(count, 'minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties'),
  ...group(boolean, 'uniqueItems deprecated readOnly writeOnly'),
  ...group(string, '$schema $id $ref $anchor $dynamicRef $dynamicAnchor $comment title description format pattern'),
  ...group(string, 'contentEncoding contentMediaType'),
]);

/** Names of the keywords that hold no schema and have a rule for their value. */
export const keywordsWithValues: readonly string[] = [...rules.keys()];

/** Returns why the value of a keyword is wrong (`must be ...`), or undefined. */
export function valueFault(keyword: string, value: unknown): string | undefined {
  const rule = rules.get(keyword);
  return rule === undefined || rule.fits(value) ? undefined : rule.expected;
}

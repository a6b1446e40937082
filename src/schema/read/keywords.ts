/** Dialects and keywords of JSON Schema: which keywords contain subschemas, and which values the other keywords allow. */

import { isObject } from '../../jsonrpc/message.ts';

export type Dialect = '2020-12' | 'draft-07' | 'draft-06';

const dialects: ReadonlyMap<string, Dialect> = new Map<string, Dialect>([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft-06/schema', 'draft-06'],
]);

/** Returns the dialect that a `$schema` URI names; undefined if not supported. Accepts `http:`, `https:` and a final `#`. */
export function dialectOf(uri: string): Dialect | undefined {
  return dialects.get(uri.replace(/^https?:\/\//, '').replace(/#$/, ''));
}

/** Form of a keyword's value: one schema, an array or an object of schemas. `items` and `dependencies` have two forms each. */
export type Holds = 'schema' | 'schemas' | 'named-schemas' | 'items' | 'dependencies';

/** Keywords that contain subschemas, each with the form of its value. All code that traverses schemas uses this table. */
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

/** Rules for values of keywords without subschemas. TypeBox would silently ignore a keyword whose value breaks its rule. */
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

/** Keywords without subschemas whose values `valueFault` checks. */
export const keywordsWithValues: readonly string[] = [...rules.keys()];

/** Returns why the value of a keyword is invalid (`must be ...`); undefined if it is valid or the keyword has no rule. */
export function valueFault(keyword: string, value: unknown): string | undefined {
  const rule = rules.get(keyword);
  return rule === undefined || rule.fits(value) ? undefined : rule.expected;
}

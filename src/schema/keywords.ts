/**
 * The keywords of JSON Schema, by what stands under them. The three readers of schemas (the walker, the copy for the
 * wire, the normal form for the engine) share this table, so that they agree on what is a subschema and what is data.
 */
export type Holds = 'schema' | 'schemas' | 'named-schemas' | 'items' | 'dependencies';

export const subschemas: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  ['additionalProperties', 'schema'],
  ['unevaluatedProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['unevaluatedItems', 'schema'],
  ['additionalItems', 'schema'],
  ['contains', 'schema'],
  ['contentSchema', 'schema'],
  ['not', 'schema'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
  ['allOf', 'schemas'],
  ['anyOf', 'schemas'],
  ['oneOf', 'schemas'],
  ['prefixItems', 'schemas'],
  ['properties', 'named-schemas'],
  ['patternProperties', 'named-schemas'],
  ['dependentSchemas', 'named-schemas'],
  ['$defs', 'named-schemas'],
  ['definitions', 'named-schemas'],
  ['items', 'items'],
  ['dependencies', 'dependencies'],
]);

/** Keywords that look at the same value as the schema they stand in: following them alone never gets anywhere. */
export const inPlace: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
]);

export type Dialect = '2020-12' | 'draft-07' | 'draft-06';

/** Draft URIs are written with and without the empty fragment, and over either scheme. */
export const dialects: ReadonlyMap<string, Dialect> = new Map<string, Dialect>([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft-06/schema', 'draft-06'],
]);

export function dialectOf(uri: string): Dialect | undefined {
  return dialects.get(uri.replace(/^https?:\/\//, '').replace(/#$/, ''));
}

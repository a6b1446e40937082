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

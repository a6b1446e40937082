/** Structured results for revisions in which they can only be objects: any other value is wrapped. */

import { isObject } from '../../jsonrpc/message.ts';
import { STRUCTURED_TEXT, WRAPPED_RESULT } from '../model/meta.ts';
import type { JsonSchemaObject } from '../model/tools.ts';
import { without } from '../params.ts';

const MARKS: readonly string[] = [WRAPPED_RESULT, STRUCTURED_TEXT];

/** A result or a tool with one of our marks in its `_meta`, by which our clients find back what was wrapped. */
export function addMarker<T extends object>(value: T, mark: string, says: true | number): T {
  const { _meta } = value as { _meta?: object };
  return { ...value, _meta: { ..._meta, [mark]: says } };
}

/** The same without our marks: an author's own, or a passed-on one, would have undone what was never done. */
export function stripMarkers<T extends object>(value: T): T {
  const { _meta } = value as { _meta?: unknown };
  if (!isObject(_meta) || !MARKS.some((mark) => Object.hasOwn(_meta, mark))) return value;
  const rest = without(_meta, ...MARKS);
  return Object.keys(rest).length === 0 ? without(value, '_meta') : { ...value, _meta: rest };
}

/** True if results of this schema are wrapped as `{ result: ... }`. */
export function isWrapped(outputSchema: JsonSchemaObject): boolean {
  return outputSchema['type'] !== 'object';
}

/** The schema of the wrapped value. */
export function wrapSchema(outputSchema: JsonSchemaObject): JsonSchemaObject {
  const { $schema, ...inner } = outputSchema;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { result: mapReferences(inner, toNestedRef) },
    required: ['result'],
  };
}

/** The schema that was wrapped so; undefined if none was. */
export function unwrapSchema(wrapped: unknown): JsonSchemaObject | undefined {
  if (!isObject(wrapped)) return undefined;
  const { $schema, type, properties } = wrapped;
  if (type !== 'object' || !isObject(properties) || !isObject(properties['result'])) return undefined;
  const inner = mapReferences(properties['result'], fromNestedRef) as JsonSchemaObject;
  return $schema === undefined ? inner : { $schema, ...inner };
}

/** True if the value is wrapped as the schema above wants it. Without a schema, only what is no object is. */
export function isWrappedValue(value: unknown, outputSchema: JsonSchemaObject | undefined): boolean {
  return outputSchema ? isWrapped(outputSchema) : !isObject(value);
}

/** A schema whose root properties are all objects, as the older schemas of the protocol want it. */
export function plainProperties(schema: JsonSchemaObject): JsonSchemaObject {
  const { properties } = schema;
  if (!isObject(properties) || !Object.values(properties).some((property) => typeof property === 'boolean')) {
    return schema;
  }
  const plain = Object.entries(properties).map(([name, property]) => [
    name,
    property === true ? {} : property === false ? { not: {} } : property,
  ]);
  return { ...schema, properties: Object.fromEntries(plain) };
}

const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef']);
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);
const SCHEMAS_BY_NAME: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

const RESULT = '#/properties/result';

// The schema moves one level down, and its references into itself move with it.
function toNestedRef(reference: string): string {
  return reference === '#' || reference.startsWith('#/') ? RESULT + reference.slice(1) : reference;
}

function fromNestedRef(reference: string): string {
  return reference === RESULT || reference.startsWith(`${RESULT}/`) ? `#${reference.slice(RESULT.length)}` : reference;
}

type MapReference = (reference: string) => string;

function mapReferences(schema: unknown, map: MapReference): unknown {
  if (Array.isArray(schema)) return schema.map((each) => mapReferences(each, map));
  if (!isObject(schema) || isDocument(schema)) return schema;
  return mapValues(schema, (keyword, value) => mapKeyword(keyword, value, map));
}

function mapKeyword(keyword: string, value: unknown, map: MapReference): unknown {
  if (REFERENCES.has(keyword) && typeof value === 'string') return map(value);
  if (DATA.has(keyword)) return value;
  // In here the keys are names of the author's, which may be those of keywords.
  if (SCHEMAS_BY_NAME.has(keyword) && isObject(value)) return mapValues(value, (_, inner) => mapReferences(inner, map));
  return mapReferences(value, map);
}

// With an `$id` it is a document of its own, whose references lead into itself. A mere fragment is an older anchor.
function isDocument({ $id }: Record<string, unknown>): boolean {
  return typeof $id === 'string' && !$id.startsWith('#');
}

function mapValues(object: Record<string, unknown>, map: (key: string, value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(key, value)]));
}

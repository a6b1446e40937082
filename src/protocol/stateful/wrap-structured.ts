/** Wraps structured content as `{ result: ... }`, with its output schema, for revisions in which it must be an object. */

import { isObject } from '../../jsonrpc/message.ts';
import { STRUCTURED_TEXT, WRAPPED_RESULT } from '../model/meta.ts';
import { DATA_KEYWORDS, type JsonSchemaObject, NAMED_MEMBERS } from '../model/tools.ts';
import { without } from '../params.ts';

const MARKERS: readonly string[] = [WRAPPED_RESULT, STRUCTURED_TEXT];

/** Adds a marker to the `_meta` of a result or tool. Clients of this package recognize it and undo the wrapping. */
export function addMarker<T extends object>(value: T, marker: string, setting: true | number): T {
  const { _meta } = value as { _meta?: object };
  return { ...value, _meta: { ..._meta, [marker]: setting } };
}

/**
 * Removes the markers of this package from `_meta`. A marker that comes from a handler would make the client unwrap a value that
 * was not wrapped.
 */
export function stripMarkers<T extends object>(value: T): T {
  const { _meta } = value as { _meta?: unknown };
  if (!isObject(_meta) || !MARKERS.some((marker) => Object.hasOwn(_meta, marker))) return value;
  const rest = without(_meta, ...MARKERS);
  return Object.keys(rest).length === 0 ? without(value, '_meta') : { ...value, _meta: rest };
}

/** True if structured content with this output schema is wrapped as `{ result: ... }`. */
export function isWrapped(outputSchema: JsonSchemaObject): boolean {
  return outputSchema['type'] !== 'object';
}

/** Returns the output schema of wrapped structured content, given that of the content itself. */
export function wrapSchema(outputSchema: JsonSchemaObject): JsonSchemaObject {
  const { $schema, ...inner } = outputSchema;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { result: mapReferences(inner, toNestedRef) },
    required: ['result'],
  };
}

/** Undoes `wrapSchema`. Returns undefined for a schema that is not wrapped. */
export function unwrapSchema(wrapped: unknown): JsonSchemaObject | undefined {
  if (!isObject(wrapped)) return undefined;
  const { $schema, type, properties } = wrapped;
  if (type !== 'object' || !isObject(properties) || !isObject(properties['result'])) return undefined;
  const inner = mapReferences(properties['result'], fromNestedRef) as JsonSchemaObject;
  return $schema === undefined ? inner : { $schema, ...inner };
}

/** True if structured content is wrapped: if its output schema requires it, or without a schema if it is not an object. */
export function isWrappedValue(value: unknown, outputSchema: JsonSchemaObject | undefined): boolean {
  return outputSchema ? isWrapped(outputSchema) : !isObject(value);
}

/** Replaces boolean schemas of top-level properties by equivalent objects, since stateful revisions allow only objects there. */
export function plainProperties(schema: JsonSchemaObject): JsonSchemaObject {
  const { properties } = schema;
  if (!isObject(properties) || !Object.values(properties).some((property) => typeof property === 'boolean')) {
    return schema;
  }
  const plain = (_: string, property: unknown) =>
    property === true ? {} : property === false ? { not: {} } : property;
  return { ...schema, properties: mapValues(properties, plain) };
}

const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef']);
const RESULT = '#/properties/result';

// Adapts a reference within the schema: wrapping moves the schema to `#/properties/result`.
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
  if (DATA_KEYWORDS.has(keyword)) return value;
  if (NAMED_MEMBERS.has(keyword) && isObject(value)) return mapValues(value, (_, inner) => mapReferences(inner, map));
  return mapReferences(value, map);
}

// True for a schema with an `$id`: references below it are relative to it, and stay unchanged. In older drafts an `$id` that is
// only a fragment is an anchor.
function isDocument({ $id }: Record<string, unknown>): boolean {
  return typeof $id === 'string' && !$id.startsWith('#');
}

function mapValues(object: Record<string, unknown>, map: (key: string, value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(key, value)]));
}

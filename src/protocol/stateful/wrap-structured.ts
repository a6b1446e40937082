/** Wraps structured content and its output schema as `{ result: ... }`, for revisions that allow only objects. */

import { isObject } from '../../jsonrpc/message.ts';
import { STRUCTURED_TEXT, WRAPPED_RESULT } from '../model/meta.ts';
import { DATA_KEYWORDS, type JsonSchemaObject, NAMED_MEMBERS } from '../model/tools.ts';
import { without } from '../params.ts';

const MARKERS: readonly string[] = [WRAPPED_RESULT, STRUCTURED_TEXT];

/** Adds a marker to `_meta` of a result or tool. The marker tells clients of this package to restore the structured content. */
export function addMarker<T extends object>(value: T, marker: string, setting: true | number): T {
  const { _meta } = value as { _meta?: object };
  return { ...value, _meta: { ..._meta, [marker]: setting } };
}

/** Removes this package's wrapping markers from `_meta`. A marker set by a handler would make clients unwrap a plain value. */
export function stripMarkers<T extends object>(value: T): T {
  const { _meta } = value as { _meta?: unknown };
  if (!isObject(_meta) || !MARKERS.some((marker) => Object.hasOwn(_meta, marker))) return value;
  const rest = without(_meta, ...MARKERS);
  return Object.keys(rest).length === 0 ? without(value, '_meta') : { ...value, _meta: rest };
}

/** Returns true if structured content with this output schema must be wrapped as `{ result: ... }`. */
export function isWrapped(outputSchema: JsonSchemaObject): boolean {
  return outputSchema['type'] !== 'object';
}

export function wrapSchema(outputSchema: JsonSchemaObject): JsonSchemaObject {
  const { $schema, ...inner } = outputSchema;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { result: mapReferences(inner, toNestedRef) },
    required: ['result'],
  };
}

export function unwrapSchema(wrapped: unknown): JsonSchemaObject | undefined {
  if (!isObject(wrapped)) return undefined;
  const { $schema, type, properties } = wrapped;
  if (type !== 'object' || !isObject(properties) || !isObject(properties['result'])) return undefined;
  const inner = mapReferences(properties['result'], fromNestedRef) as JsonSchemaObject;
  return $schema === undefined ? inner : { $schema, ...inner };
}

/** Returns true if structured content must be wrapped as `{ result: ... }`. Without a schema: if it is not an object. */
export function isWrappedValue(value: unknown, outputSchema: JsonSchemaObject | undefined): boolean {
  return outputSchema ? isWrapped(outputSchema) : !isObject(value);
}

/** Replaces boolean schemas of top-level properties with objects, because stateful revisions do not allow booleans there. */
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

// References to the root of the schema or below must change, because wrapping moves the schema to `#/properties/result`.
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

// True for a schema with its own base URI (`$id`): its references stay unchanged. In old drafts, `$id: "#name"` is an anchor.
function isDocument({ $id }: Record<string, unknown>): boolean {
  return typeof $id === 'string' && !$id.startsWith('#');
}

function mapValues(object: Record<string, unknown>, map: (key: string, value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(key, value)]));
}

/** Structured results for revisions in which they can only be objects: any other value is wrapped. */

import { isObject } from '../../jsonrpc/message.ts';
import type { JsonSchemaObject } from '../model/tools.ts';

/** True if results of this schema are wrapped as `{ result: ... }`. */
export function isWrapped(outputSchema: JsonSchemaObject): boolean {
  return outputSchema['type'] !== 'object';
}

/** The schema of the wrapped value. */
export function wrapSchema(outputSchema: JsonSchemaObject): JsonSchemaObject {
  const { $schema, ...inner } = outputSchema;
  // A schema with an `$id` is a document of its own: its references stay as they are.
  const result = typeof inner['$id'] === 'string' ? inner : rebase(inner);
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { result },
    required: ['result'],
  };
}

/** The value as the schema above wants it. Without a schema, only what is no object is wrapped. */
export function wrapValue(value: unknown, outputSchema: JsonSchemaObject | undefined): Record<string, unknown> {
  if (outputSchema ? isWrapped(outputSchema) : !isObject(value)) return { result: value };
  return value as Record<string, unknown>;
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

// The schema moves one level down, and its references into itself move with it.
function rebase(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(rebase);
  return isObject(schema) ? mapValues(schema, rebaseKeyword) : schema;
}

function rebaseKeyword(keyword: string, value: unknown): unknown {
  if (REFERENCES.has(keyword) && typeof value === 'string') return rebaseReference(value);
  if (DATA.has(keyword)) return value;
  // In here the keys are names of the author's, which may be those of keywords.
  if (SCHEMAS_BY_NAME.has(keyword) && isObject(value)) return mapValues(value, (_name, inner) => rebase(inner));
  return rebase(value);
}

function mapValues(object: Record<string, unknown>, map: (key: string, value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(key, value)]));
}

function rebaseReference(reference: string): string {
  return reference === '#' || reference.startsWith('#/') ? `#/properties/result${reference.slice(1)}` : reference;
}

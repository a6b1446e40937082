import { isObject } from '../../jsonrpc/message.ts';
import type { JsonObject, JsonSchema } from '../json.ts';
import { pointer } from '../json-pointer.ts';
import type { SchemaFault } from '../read/read-schema.ts';
import { type Direction, libraryJsonSchema, Unconvertible } from './libraries.ts';
import { isStandardSchema } from './standard-schema.ts';
import { wireCopy } from './wire-copy.ts';

export type Converted = { readonly jsonSchema: JsonSchema } | { readonly fault: SchemaFault };

/** Converted schemas by direction, keyed by the original schema. Cached, because a conversion takes longer than a tool call. */
const conversions = { input: new WeakMap<object, Converted>(), output: new WeakMap<object, Converted>() };

/** Converts an application's schema to JSON Schema 2020-12. A JSON Schema object keeps the dialect that it declares. */
export function toJsonSchema(schema: unknown, direction: Direction): Converted {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return { fault: notASchema };
  const known = conversions[direction].get(schema);
  if (known) return known;
  const converted = convert(schema, direction);
  conversions[direction].set(schema, converted);
  return converted;
}

function convert(schema: object, direction: Direction): Converted {
  try {
    const jsonSchema = isStandardSchema(schema) ? fromLibrary(libraryJsonSchema(schema, direction)) : fromRaw(schema);
    return direction === 'input' ? withObjectRoot(jsonSchema, isStandardSchema(schema)) : { jsonSchema };
  } catch (error) {
    if (error instanceof Unconvertible) return { fault: { path: error.path, message: error.message } };
    throw error;
  }
}

/** Copies the JSON Schema that a library wrote, without `$schema`: its dialect is 2020-12, which is the default. */
function fromLibrary(written: unknown): JsonSchema {
  if (!isObject(written))
    throw new Unconvertible('was not converted to a JSON Schema object by its library: give a JSON Schema object');
  const { $schema, ...rest } = written;
  return wireCopy(rest);
}

function fromRaw(schema: object): JsonSchema {
  if (!isObject(schema)) throw new Unconvertible(notASchema.message);
  const member = Object.entries(schema).find(([, value]) => isStandardSchema(value));
  if (member)
    throw new Unconvertible('is a plain object of schemas: wrap it, as in z.object({ ... })', pointer('', member[0]));
  return wireCopy(schema);
}

const notASchema: SchemaFault = {
  path: '',
  message: 'must be a Standard Schema (zod, valibot, arktype, ...) or a JSON Schema object',
};

/** Returns an error if an input schema lacks `type: 'object'`, which MCP requires. Adds it to a library's union of objects. */
function withObjectRoot(jsonSchema: JsonSchema, isConverted: boolean): Converted {
  if (jsonSchema.type === 'object') return { jsonSchema };
  if (isConverted && jsonSchema.type === undefined && isOfObjects(jsonSchema, jsonSchema, 0)) {
    return { jsonSchema: { type: 'object', ...jsonSchema } };
  }
  return { fault: { path: '/type', message: 'must be "object" at the root: arguments are always an object' } };
}

function isOfObjects(schema: unknown, root: JsonObject, depth: number): boolean {
  if (!isObject(schema) || depth > 8) return false;
  if (schema.type !== undefined) return schema.type === 'object';
  const among = (list: unknown): boolean[] | undefined =>
    Array.isArray(list) ? list.map((each) => isOfObjects(each, root, depth + 1)) : undefined;
  const every = among(schema.anyOf) ?? among(schema.oneOf);
  if (every) return every.length > 0 && every.every(Boolean);
  if (among(schema.allOf)?.some(Boolean)) return true;
  if (schema.$ref === '#') return false;
  const name = /^#\/\$defs\/([^/]+)$/.exec(String(schema.$ref))?.[1];
  return name !== undefined && isObject(root.$defs) && isOfObjects(root.$defs[name], root, depth + 1);
}

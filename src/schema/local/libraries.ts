/** Converts the schemas of schema libraries to JSON Schema, by the converter of each library. */

import { isObject } from '../../jsonrpc/message.ts';
import { pointer, pointerOf } from '../json-pointer.ts';
import { requireFromApp } from './require-from-app.ts';
import type { StandardJsonSchema, StandardJsonSchemaOptions, StandardSchema } from './standard-schema.ts';

export type Direction = 'input' | 'output';

/** A schema cannot be converted: the message of its library, and the place if it is known. */
export class Unconvertible extends Error {
  readonly path: string;

  constructor(message: string, path = '') {
    super(message);
    this.path = path;
  }
}

const target = 'draft-2020-12';

/** Converts a Standard Schema: by its own converter, or by that of zod or valibot, which have it in another module. */
export function libraryJsonSchema(schema: StandardSchema, direction: Direction): unknown {
  const { vendor, jsonSchema } = schema['~standard'];
  if (jsonSchema)
    return native(jsonSchema, direction, vendor === 'arktype' ? { fallback: arktypeFallback } : undefined);
  if (vendor === 'zod') return zod(schema, direction);
  if (vendor === 'valibot') return valibot(schema, direction);
  throw new Unconvertible(
    `${vendor} schemas cannot be converted to JSON Schema (they do not implement Standard JSON Schema): give a JSON Schema object`,
  );
}

function native(
  jsonSchema: StandardJsonSchema,
  direction: Direction,
  libraryOptions?: Record<string, unknown>,
): unknown {
  const convert = (options: StandardJsonSchemaOptions): unknown => jsonSchema[direction](options);
  return convertOrLocate(
    () => convert({ target, libraryOptions }),
    (unrepresentable) => convert({ target, libraryOptions: { ...libraryOptions, unrepresentable } }),
  );
}

/** Without these, arktype converts types that JSON does not have to the schema of any value. */
const arktypeFallback = {
  date: () => cannotBe('Date'),
  domain: ({ domain }: { readonly domain: unknown }) => cannotBe(String(domain)),
  proto: ({ proto }: { readonly proto: unknown }) => cannotBe(typeof proto === 'function' ? proto.name : 'object'),
};

function cannotBe(name: string): never {
  throw new Error(`${name} cannot be represented in JSON Schema`);
}

/** Schemas of zod/mini, and of zod before 4.2, have no converter: that of the installed zod is used. */
function zod(schema: StandardSchema, direction: Direction): unknown {
  if (!('_zod' in schema)) throw new Unconvertible("schemas of zod 3 cannot be converted: import z from 'zod/v4'");
  const toJSONSchema = requireFromApp('zod/v4/core')?.toJSONSchema;
  if (typeof toJSONSchema !== 'function') {
    throw new Unconvertible(
      'this zod schema has no JSON Schema of its own, and zod could not be loaded here: give z.toJSONSchema(schema) instead of schema',
    );
  }
  const convert = (options: object): unknown => toJSONSchema(schema, { target, io: direction, ...options });
  return convertOrLocate(
    () => convert({}),
    (unrepresentable) => convert({ unrepresentable }),
  );
}

/**
 * Converts, and on failure converts again with a callback to find the place. Older versions of zod do not accept the
 * callback, so it is not passed at first.
 */
function convertOrLocate(
  convert: () => unknown,
  again: (unrepresentable: (found: unknown) => never) => unknown,
): unknown {
  try {
    return convert();
  } catch (error) {
    let path = '';
    try {
      again((found) => {
        if (isObject(found) && Array.isArray(found.path)) path = pointerOf(found.path);
        throw error;
      });
    } catch {
      // Fails in the same place as before.
    }
    throw new Unconvertible(messageOf(error), path);
  }
}

function valibot(schema: StandardSchema, direction: Direction): unknown {
  const toJsonSchema = requireFromApp('@valibot/to-json-schema')?.toJsonSchema;
  if (typeof toJsonSchema !== 'function') {
    throw new Unconvertible(
      'valibot schemas need @valibot/to-json-schema: install it; where modules cannot be loaded by name (Workers, bundles) give toStandardJsonSchema(schema) of it instead of schema',
    );
  }
  const convert = (each: unknown): unknown => toJsonSchema(each, { target, typeMode: direction, errorMode: 'throw' });
  try {
    return convert(schema);
  } catch (error) {
    throw new Unconvertible(messageOf(error), failingEntry(schema, convert));
  }
}

/** The place of the first member that cannot be converted by itself: valibot's error does not have it. */
function failingEntry(schema: object, convert: (each: unknown) => unknown): string {
  if (!('entries' in schema) || !isObject(schema.entries)) return '';
  for (const [name, entry] of Object.entries(schema.entries)) {
    try {
      convert(entry);
    } catch {
      return pointer('/properties', name) + (isObject(entry) ? failingEntry(entry, convert) : '');
    }
  }
  return '';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

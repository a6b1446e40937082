/** Converts schemas of schema libraries (zod, valibot, arktype, ...) to JSON Schema with the converter of each library. */

import { isObject } from '../../jsonrpc/message.ts';
import { pointer, pointerOf } from '../json-pointer.ts';
import { requireFromApp } from './require-from-app.ts';
import type { StandardJsonSchema, StandardSchema } from './standard-schema.ts';

export type Direction = 'input' | 'output';

/** Thrown if a schema cannot be converted to JSON Schema. `path`: JSON Pointer of the failing part, empty if unknown. */
export class Unconvertible extends Error {
  readonly path: string;

  constructor(message: string, path = '') {
    super(message);
    this.path = path;
  }
}

const target = 'draft-2020-12';

/** Converts a Standard Schema to JSON Schema with its own converter, or with the converter module of zod or valibot. */
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
  return convertOrLocate((options) =>
    jsonSchema[direction]({ target, libraryOptions: { ...libraryOptions, ...options } }),
  );
}

/** Option `fallback` of arktype's converter: throws for types that JSON cannot represent. By default they accept any value. */
const arktypeFallback = {
  date: () => cannotBe('Date'),
  domain: ({ domain }: { readonly domain: unknown }) => cannotBe(String(domain)),
  proto: ({ proto }: { readonly proto: unknown }) => cannotBe(typeof proto === 'function' ? proto.name : 'object'),
};

function cannotBe(name: string): never {
  throw new Error(`${name} cannot be represented in JSON Schema`);
}

/** Converts schemas of zod/mini and of zod before 4.2, which have no converter, with `toJSONSchema` of the installed zod. */
function zod(schema: StandardSchema, direction: Direction): unknown {
  if (!('_zod' in schema)) throw new Unconvertible("schemas of zod 3 cannot be converted: import z from 'zod/v4'");
  const toJSONSchema = requireFromApp('zod/v4/core')?.toJSONSchema;
  if (typeof toJSONSchema !== 'function') {
    throw new Unconvertible(
      'this zod schema has no converter of its own, and zod could not be loaded here: give z.toJSONSchema(schema) instead of schema',
    );
  }
  return convertOrLocate((options) => toJSONSchema(schema, { target, io: direction, ...options }));
}

// Runs a conversion. If it fails, runs it again with the option `unrepresentable`, a callback that gets the path of the failing
// part. The first run omits the option, because older versions of zod do not accept it.
function convertOrLocate(convert: (options: { unrepresentable?(found: unknown): never }) => unknown): unknown {
  try {
    return convert({});
  } catch (error) {
    let path = '';
    try {
      convert({
        unrepresentable(found) {
          if (isObject(found) && Array.isArray(found.path)) path = pointerOf(found.path);
          throw error;
        },
      });
    } catch {
      // The second conversion fails too. Its only purpose is the path that `unrepresentable` gets.
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

/** Returns the JSON Pointer of the first object member that valibot cannot convert. valibot's errors do not contain a path. */
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

/** How each schema library is asked for JSON Schema. */

import { isObject } from '../jsonrpc/message.ts';
import { authorsModule } from './authors-module.ts';
import { pointer, pointerOf } from './pointer.ts';
import type { StandardJsonSchema, StandardJsonSchemaOptions, StandardSchema } from './standard.ts';

export type Direction = 'input' | 'output';

/** A schema library's own message about what it cannot convert, with the place where it is known. */
export class Unconvertible extends Error {
  readonly path: string;

  constructor(message: string, path = '') {
    super(message);
    this.path = path;
  }
}

const target = 'draft-2020-12';

/** The JSON Schema of a Standard Schema, by its library: natively, or for the two that keep their converter apart by name. */
export function vendorJsonSchema(schema: StandardSchema, direction: Direction): unknown {
  const { vendor, jsonSchema } = schema['~standard'];
  if (jsonSchema)
    return native(jsonSchema, direction, vendor === 'arktype' ? { fallback: arktypeFallback } : undefined);
  if (vendor === 'zod') return zod(schema, direction);
  if (vendor === 'valibot') return valibot(schema, direction);
  throw new Unconvertible(
    `${vendor} schemas say nothing of JSON Schema (Standard JSON Schema): give a JSON Schema object`,
  );
}

function native(
  jsonSchema: StandardJsonSchema,
  direction: Direction,
  libraryOptions?: Record<string, unknown>,
): unknown {
  const convert = (options: StandardJsonSchemaOptions): unknown => jsonSchema[direction](options);
  return placed(
    () => convert({ target, libraryOptions }),
    (unrepresentable) => convert({ target, libraryOptions: { ...libraryOptions, unrepresentable } }),
  );
}

/** Left alone, arktype writes what JSON cannot carry as the schema of anything. */
const arktypeFallback = {
  date: () => cannotBe('Date'),
  domain: ({ domain }: { readonly domain: unknown }) => cannotBe(String(domain)),
  proto: ({ proto }: { readonly proto: unknown }) => cannotBe(typeof proto === 'function' ? proto.name : 'object'),
};

function cannotBe(name: string): never {
  throw new Error(`${name} cannot be represented in JSON Schema`);
}

/** zod/mini has no converter on its schemas (nor has zod before 4.2): the one of the installed zod reads them. */
function zod(schema: StandardSchema, direction: Direction): unknown {
  if (!('_zod' in schema)) throw new Unconvertible("schemas of zod 3 cannot be converted: import z from 'zod/v4'");
  const toJSONSchema = authorsModule('zod/v4/core')?.toJSONSchema;
  if (typeof toJSONSchema !== 'function') {
    throw new Unconvertible(
      'this zod schema has no JSON Schema of its own, and zod could not be loaded here: give z.toJSONSchema(schema) instead of schema',
    );
  }
  const convert = (options: object): unknown => toJSONSchema(schema, { target, io: direction, ...options });
  return placed(
    () => convert({}),
    (unrepresentable) => convert({ unrepresentable }),
  );
}

/** Only asked again when it failed, older versions of zod not taking a function here: now it tells the place. */
function placed(convert: () => unknown, again: (unrepresentable: (found: unknown) => never) => unknown): unknown {
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
      // Expected: it fails in the same place.
    }
    throw new Unconvertible(messageOf(error), path);
  }
}

function valibot(schema: StandardSchema, direction: Direction): unknown {
  const toJsonSchema = authorsModule('@valibot/to-json-schema')?.toJsonSchema;
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

/** Valibot does not say where it failed: the first member that fails by itself is the place. */
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

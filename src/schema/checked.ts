/** A schema and a value: an author's schema is checked by its library or by the engine. */

import { patternFault } from './ambiguity.ts';
import { toJsonSchema } from './convert.ts';
import { type Compile, loadEngine, withEngine } from './engine-loader.ts';
import type { JsonSchema } from './json.ts';
import { checkByLibrary, checkReceivedByLibrary } from './library-check.ts';
import type { Checked, Validate } from './problems.ts';
import { isStandardSchema } from './standard.ts';
import { suspiciousKeywords } from './suspicious-keywords.ts';
import type { Direction } from './vendor.ts';
import { readSchema, type SchemaDocument, type SchemaFault } from './walker.ts';

/** A schema, ready for the wire and for checking. */
export interface CheckedSchema {
  readonly jsonSchema: JsonSchema;
  /** Synchronous, unless a schema library is asynchronous or the engine for raw schemas is still being loaded. */
  check(value: unknown): Checked | Promise<Checked>;
}

/**
 * Makes an author's schema ready, or throws a TypeError that names the place: `where` is how the author knows the schema,
 * such as `Tool "add": inputSchema`.
 */
export function checkedSchema(schema: unknown, where: string, direction: Direction): CheckedSchema {
  const converted = toJsonSchema(schema, direction);
  if ('fault' in converted) throw faulty(where, converted.fault);
  const { jsonSchema } = converted;
  // A library checks its own schemas, and knows more than its JSON Schema says: defaults, transforms, refinements.
  if (isStandardSchema(schema)) {
    const check = direction === 'input' ? checkReceivedByLibrary : checkByLibrary;
    return { jsonSchema, check: (value) => check(schema, value) };
  }
  for (const { path, message } of suspiciousKeywords(jsonSchema)) console.error(`mcpp: ${where}${path}: ${message}`);
  return checkedRaw(jsonSchema, where);
}

function faulty(where: string, { path, message }: SchemaFault): TypeError {
  return new TypeError(`${where}${path}: ${message}`);
}

/** Checks values by a function that is made when it is first needed. */
export function checkBy(document: SchemaDocument, compile: Compile): (value: unknown) => Checked {
  let validate: Validate | undefined;
  return (value) => {
    validate ??= compile(document);
    const problems = validate(value);
    return problems === undefined ? { ok: true, value } : { ok: false, problems };
  };
}

function checkedRaw(jsonSchema: JsonSchema, where: string): CheckedSchema {
  const read = readSchema(jsonSchema, patternFault);
  if ('fault' in read) throw faulty(where, read.fault);
  loadEngine()?.catch(() => {}); // The first check reports the error.
  let check: ((value: unknown) => Checked) | undefined;
  return {
    jsonSchema,
    check: (value) =>
      withEngine((compile) => {
        check ??= checkBy(read.document, compile);
        return check(value);
      }),
  };
}

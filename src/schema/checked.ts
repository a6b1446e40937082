/** An author's schema and a value, which is checked by the author's library or by the engine. */

import { isObject } from '../jsonrpc/message.ts';
import { checkByEngine } from './by-engine.ts';
import { toJsonSchema } from './convert.ts';
import { type JsonSchema, pointer } from './json.ts';
import { type Problem, problem } from './problems.ts';
import { isStandardSchema, type StandardIssue, type StandardResult, type StandardSchema } from './standard.ts';
import type { Direction } from './vendor.ts';
import { readSchema, type SchemaFault } from './walker.ts';

/** What came out of a check: the value as the handler gets it, or what is wrong with it. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** A schema, ready for the wire and for checking. */
export interface CheckedSchema {
  readonly jsonSchema: JsonSchema;
  /** Stays synchronous wherever it can: a library may be asynchronous, and the first check of a raw schema loads the engine. */
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
  if (isStandardSchema(schema)) return { jsonSchema, check: (value) => checkByLibrary(schema, value) };
  const read = readSchema(jsonSchema);
  if ('fault' in read) throw faulty(where, read.fault);
  return { jsonSchema, check: checkByEngine(read.document, 'compile') };
}

function faulty(where: string, { path, message }: SchemaFault): TypeError {
  return new TypeError(`${where}${path}: ${message}`);
}

function checkByLibrary(schema: StandardSchema, value: unknown): Checked | Promise<Checked> {
  const result = schema['~standard'].validate(value);
  return result instanceof Promise ? result.then(fromStandard) : fromStandard(result);
}

function fromStandard(result: StandardResult<unknown>): Checked {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, problems: result.issues.map(toProblem) };
}

function toProblem({ message, path }: StandardIssue): Problem {
  const keys = path?.map((step) => (isObject(step) ? step.key : step) as PropertyKey) ?? [];
  return problem(keys.reduce(pointer, ''), message);
}

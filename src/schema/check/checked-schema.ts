/** Makes checks from an application's schemas: by TypeBox for JSON Schema objects, by the schema's library for all others. */

import { isObject } from '../../jsonrpc/message.ts';
import type { JsonSchema } from '../json.ts';
import { pointerOf } from '../json-pointer.ts';
import { MAX_PROBLEMS, MAX_VALUES } from '../limits.ts';
import type { Direction } from '../local/libraries.ts';
import {
  isStandardSchema,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from '../local/standard-schema.ts';
import { suspiciousKeywords } from '../local/suspicious-keywords.ts';
import { toJsonSchema } from '../local/to-json-schema.ts';
import { type Checked, type Problem, problem } from '../problems.ts';
import { readSchema, type SchemaFault } from '../read/read-schema.ts';
import { patternFault } from '../redos/redos.ts';
import { checkByEngine, loadEngine } from './engine-loader.ts';
import { isSmall } from './value-size.ts';

/** A schema in JSON Schema form, and a function that checks values against it. */
export interface CheckedSchema {
  readonly jsonSchema: JsonSchema;
  /** Checks a value. Returns a promise if the schema library is asynchronous, or until the JSON Schema engine is loaded. */
  check(value: unknown): Checked | Promise<Checked>;
}

/**
 * Converts an application's schema to JSON Schema, with a function that checks values against it. Throws a TypeError if the
 * schema is invalid; the message begins with `where` (for example `Tool "add": inputSchema`) and the path of the error.
 */
export function checkedSchema(schema: unknown, where: string, direction: Direction): CheckedSchema {
  const converted = toJsonSchema(schema, direction);
  if ('fault' in converted) throw schemaError(where, converted.fault);
  const { jsonSchema } = converted;
  // The schema library checks values, because it also applies defaults, transforms and refinements that JSON Schema lacks.
  if (isStandardSchema(schema)) {
    const check = direction === 'input' ? checkReceivedByLibrary : checkByLibrary;
    return { jsonSchema, check: (value) => check(schema, value) };
  }
  const suspicious: SchemaFault[] = [];
  const read = readSchema(jsonSchema, patternFault, (each, path) => suspicious.push(...suspiciousKeywords(each, path)));
  if ('fault' in read) throw schemaError(where, read.fault);
  for (const { path, message } of suspicious) console.error(`mcpp: ${where}${path}: ${message}`);
  loadEngine()?.catch(() => {}); // The first check reports a failure to load.
  return { jsonSchema, check: checkByEngine(read.schema, 'compile') };
}

function schemaError(where: string, { path, message }: SchemaFault): TypeError {
  return new TypeError(`${where}${path}: ${message}`);
}

/** Checks a value of any size with the library of the schema. Used for values made in this process, such as tool results. */
function checkByLibrary(schema: StandardSchema, value: unknown): Checked | Promise<Checked> {
  const result = schema['~standard'].validate(value);
  return result instanceof Promise ? result.then(fromStandard) : fromStandard(result);
}

/** Checks a received value with the library of the schema. Refuses large values (`isSmall`), which could take too long. */
function checkReceivedByLibrary(schema: StandardSchema, value: unknown): Checked | Promise<Checked> {
  return isSmall(value) ? checkByLibrary(schema, value) : { ok: false, problems: [tooLarge] };
}

function fromStandard(result: StandardResult<unknown>): Checked {
  const { issues } = result;
  if (issues === undefined) return { ok: true, value: result.value };
  const problems: Problem[] = [];
  for (let at = 0; at < issues.length && at < MAX_PROBLEMS; at++) problems.push(toProblem(issues[at] as StandardIssue));
  return { ok: false, problems, unlisted: issues.length - problems.length };
}

function toProblem({ message, path = [] }: StandardIssue): Problem {
  return problem(pointerOf(keysOf(path)), message);
}

function* keysOf(path: NonNullable<StandardIssue['path']>): Generator<PropertyKey> {
  for (const step of path) yield isObject(step) ? (step.key as PropertyKey) : (step as PropertyKey);
}

const tooLarge: Problem = problem('', `has more than ${MAX_VALUES} values, or too many values below long names`);

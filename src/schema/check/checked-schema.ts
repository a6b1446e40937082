/** Prepares the schemas of authors: values are checked by the schema library, or by the engine for raw JSON Schemas. */

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

/** A prepared schema: its JSON Schema and its check. */
export interface CheckedSchema {
  readonly jsonSchema: JsonSchema;
  /**
   * Checks a value. Returns a promise only if the schema library is asynchronous, or while the engine for raw schemas is being
   * loaded.
   */
  check(value: unknown): Checked | Promise<Checked>;
}

/**
 * Prepares an author's schema, or throws a TypeError. `where` begins the error message, such as `Tool "add": inputSchema`; the
 * path of the error follows.
 */
export function checkedSchema(schema: unknown, where: string, direction: Direction): CheckedSchema {
  const converted = toJsonSchema(schema, direction);
  if ('fault' in converted) throw schemaError(where, converted.fault);
  const { jsonSchema } = converted;
  // The library also applies defaults, transforms and refinements, which the JSON Schema does not contain.
  if (isStandardSchema(schema)) {
    const check = direction === 'input' ? checkReceivedByLibrary : checkByLibrary;
    return { jsonSchema, check: (value) => check(schema, value) };
  }
  const read = readSchema(jsonSchema, patternFault);
  if ('fault' in read) throw schemaError(where, read.fault);
  for (const { path, message } of suspiciousKeywords(jsonSchema)) console.error(`mcpp: ${where}${path}: ${message}`);
  loadEngine()?.catch(() => {}); // The first check reports the error.
  return { jsonSchema, check: checkByEngine(read.schema, 'compile') };
}

function schemaError(where: string, { path, message }: SchemaFault): TypeError {
  return new TypeError(`${where}${path}: ${message}`);
}

/**
 * Checks a value with its schema library, without a limit of its size. For values of this process, such as the result of a
 * tool.
 */
function checkByLibrary(schema: StandardSchema, value: unknown): Checked | Promise<Checked> {
  const result = schema['~standard'].validate(value);
  return result instanceof Promise ? result.then(fromStandard) : fromStandard(result);
}

/** Checks a received value. Refuses a value that the library would take long to check. */
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

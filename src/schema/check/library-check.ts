/** Checks values with a schema library (zod, valibot, arktype, ...), and bounds the time that this takes. */

import { isObject } from '../../jsonrpc/message.ts';
import { pointerOf } from '../json-pointer.ts';
import type { StandardIssue, StandardResult, StandardSchema } from '../local/standard-schema.ts';
import { type Checked, maxProblems, type Problem, problem } from '../problems.ts';
import { isSmall, maxValues } from './value-size.ts';

/** Checks a value of the same program, such as the result of a tool. */
export function checkByLibrary(schema: StandardSchema, value: unknown): Checked | Promise<Checked> {
  const result = schema['~standard'].validate(value);
  return result instanceof Promise ? result.then(fromStandard) : fromStandard(result);
}

/** Checks a received value. A value too large for the library to check quickly is refused. */
export function checkReceivedByLibrary(schema: StandardSchema, value: unknown): Checked | Promise<Checked> {
  return isSmall(value) ? checkByLibrary(schema, value) : { ok: false, problems: [tooLarge] };
}

function fromStandard(result: StandardResult<unknown>): Checked {
  const { issues } = result;
  if (issues === undefined) return { ok: true, value: result.value };
  const problems: Problem[] = [];
  for (let at = 0; at < issues.length && at < maxProblems; at++) problems.push(toProblem(issues[at] as StandardIssue));
  return { ok: false, problems, unlisted: issues.length - problems.length };
}

function toProblem({ message, path = [] }: StandardIssue): Problem {
  return problem(pointerOf(keysOf(path)), message);
}

function* keysOf(path: NonNullable<StandardIssue['path']>): Generator<PropertyKey> {
  for (const step of path) yield isObject(step) ? (step.key as PropertyKey) : (step as PropertyKey);
}

const tooLarge: Problem = problem('', `has more than ${maxValues} values, or too many values below long names`);

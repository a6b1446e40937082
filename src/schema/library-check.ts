/** Checks values with a schema library (zod, valibot, arktype, ...), and bounds what that costs. */

import { isObject } from '../jsonrpc/message.ts';
import { pointerOf } from './pointer.ts';
import { type Checked, maxProblems, type Problem, problem } from './problems.ts';
import type { StandardIssue, StandardResult, StandardSchema } from './standard.ts';

/** Checks a value of our own program, such as the result of a tool. */
export function checkByLibrary(schema: StandardSchema, value: unknown): Checked | Promise<Checked> {
  const result = schema['~standard'].validate(value);
  return result instanceof Promise ? result.then(fromStandard) : fromStandard(result);
}

/** Checks a value of the peer. A value that could keep the library busy is refused without asking it. */
export function checkReceivedByLibrary(schema: StandardSchema, value: unknown): Checked | Promise<Checked> {
  return isCheckable(value) ? checkByLibrary(schema, value) : { ok: false, problems: [tooLarge] };
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

/**
 * Libraries report every wrong value, and none can be told to stop: zod needs up to 14 microseconds for each in a union of
 * four, and throws a RangeError above some 120,000.
 */
const maxValues = 10_000;

/** arktype keeps the path of every wrong value as a string of its own. */
const maxPathCharacters = 4 * 1024 * 1024;

/** Values below each other. Messages from the wire have fewer; in-process values may contain themselves. */
const maxDepth = 200;

const tooLarge: Problem = problem(
  '',
  `has more than ${maxValues.toLocaleString('en')} values, or too many values below long names`,
);

function isCheckable(value: unknown): boolean {
  let values = 0;
  let characters = 0;
  return isWithin(value, 0, 0);

  function isWithin(each: unknown, pathLength: number, depth: number): boolean {
    values++;
    characters += pathLength;
    if (values > maxValues || characters > maxPathCharacters || depth > maxDepth) return false;
    if (typeof each !== 'object' || each === null) return true;
    if (Array.isArray(each)) {
      for (const item of each) if (!isWithin(item, pathLength + 6, depth + 1)) return false;
      return true;
    }
    for (const name of Object.keys(each)) {
      const member = (each as Record<string, unknown>)[name];
      if (!isWithin(member, pathLength + name.length + 1, depth + 1)) return false;
    }
    return true;
  }
}

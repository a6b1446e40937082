/** Problems of a value that does not match its schema, and their description in an error message. */

import { shorten } from './json.ts';
import { MAX_DESCRIPTION, MAX_POINTER, MAX_PROBLEM_MESSAGE, MAX_PROBLEMS } from './limits.ts';

/** One mismatch between a value and its schema. `path` is a JSON Pointer into the value. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Result of a check against a schema: the value, with the schema library's defaults and transforms, or the problems found. */
export type Checked =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Why the value was accepted without a check, such as too much work. Undefined if the value was checked. */
      readonly unchecked?: string;
    }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      /** Number of problems left out of `problems`, which has at most `MAX_PROBLEMS` entries. */
      readonly unlisted?: number;
    };

/** Describes problems for the caller, often a model, in at most 4,096 bytes. `unlisted`: number of problems not in the list. */
export function describeProblems(problems: readonly Problem[], unlisted = 0): string {
  const lines: string[] = [];
  let room = MAX_DESCRIPTION - 40;
  for (const { path, message } of problems.slice(0, MAX_PROBLEMS)) {
    const line = path === '' ? message : `${path} ${message}`;
    const size = byteLength(line) + 2;
    if (size > room) break;
    room -= size;
    lines.push(line);
  }
  const more = problems.length - lines.length + unlisted;
  if (lines.length === 0) return `${more} problems`;
  return more > 0 ? `${lines.join('; ')}; and ${more} more` : lines.join('; ');
}

/** Creates a problem. Truncates `path` to `MAX_POINTER` and `message` to `MAX_PROBLEM_MESSAGE` characters. */
export function problem(path: string, message: string): Problem {
  return { path: shorten(path, MAX_POINTER), message: shorten(message, MAX_PROBLEM_MESSAGE) };
}

const encoder = new TextEncoder();
const byteLength = (text: string): number => encoder.encode(text).length;

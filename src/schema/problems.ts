/** The problems of a value that does not match its schema, and their description for the caller. */

import { shorten } from './json.ts';
import { MAX_DESCRIPTION, MAX_POINTER, MAX_PROBLEM_MESSAGE, MAX_PROBLEMS } from './limits.ts';

/** One error in a value, and its path (a JSON Pointer). */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** The result of a check: the value for the handler, or its problems. */
export type Checked =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** The reason if the value was accepted without a check, such as too much work. */
      readonly unchecked?: string;
    }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      /** Number of problems that are not in `problems`, which has a maximum length. */
      readonly unlisted?: number;
    };

/**
 * Describes problems for the caller, which is often a model, in at most 4,096 bytes. `unlisted` is the number of problems
 * that are not in the list.
 */
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

/** Creates a problem, with path and message cut to their limits. */
export function problem(path: string, message: string): Problem {
  return { path: shorten(path, MAX_POINTER), message: shorten(message, MAX_PROBLEM_MESSAGE) };
}

const encoder = new TextEncoder();
const byteLength = (text: string): number => encoder.encode(text).length;

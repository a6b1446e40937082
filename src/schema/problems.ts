/** Problems: the errors that checking a value finds, as short messages. */

import { shorten } from './json.ts';

/** One error in a value, and its place (a JSON Pointer). */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** The outcome of a check: the value as the handler gets it, or its problems. */
export type Checked =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Set if the value was not checked: why. */
      readonly unchecked?: string;
    }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      /** The number of problems beyond those in the list. */
      readonly unlisted?: number;
    };

/** Problems in one error. */
export const maxProblems = 10;
const maxText = 4096;

/**
 * Describes problems for the caller, which is often a model: at most 4,096 bytes. `unlisted` is the number of problems
 * beyond those in the list.
 */
export function describeProblems(problems: readonly Problem[], unlisted = 0): string {
  const lines: string[] = [];
  let room = maxText - 40;
  for (const { path, message } of problems.slice(0, maxProblems)) {
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

/** A problem with its path and message cut to their longest. */
export function problem(path: string, message: string): Problem {
  return { path: shorten(path, 200), message: shorten(message, 300) };
}

const encoder = new TextEncoder();
const byteLength = (text: string): number => encoder.encode(text).length;

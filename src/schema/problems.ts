/** What is wrong with a value, in few words. */

import { shorten } from './json.ts';

/** One thing wrong with a value, and where in it (a JSON Pointer). */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** What came out of a check: the value as the handler gets it, or what is wrong with it. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      /** How many problems were found beyond those in the list. */
      readonly unlisted?: number;
    };

/** Says what is wrong with a value, or nothing. */
export type Validate = (value: unknown) => readonly Problem[] | undefined;

/** Problems in one error. No more are made from what a schema library reports. */
export const maxProblems = 10;
const maxText = 4096;

/**
 * Text for the caller, who is often a model: short enough to be read, exact enough to do better next time. `unlisted` is
 * the number of problems beyond those in the list.
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

export function problem(path: string, message: string): Problem {
  return { path: shorten(path, 200), message: shorten(message, 300) };
}

const encoder = new TextEncoder();
const byteLength = (text: string): number => encoder.encode(text).length;

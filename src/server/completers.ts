/** Completers: what suggests values for an argument of a prompt or a variable of a resource template. */

import type { Completion } from '../protocol/model/completion.ts';
import type { Context } from './context.ts';

/** What the person has typed so far, and what they chose for other arguments. */
export interface CompletionInput {
  readonly value: string;
  readonly arguments: Readonly<Record<string, string>>;
}

/** Suggests values, best first. More than 100 are cut, and the client is told so. */
export type Completer = (
  value: string,
  input: CompletionInput,
  ctx: Context,
) => readonly string[] | Completion | Promise<readonly string[] | Completion>;

/** Completers by argument name. */
export type Completers = Readonly<Record<string, Completer>>;

/** Refuses completers for what does not exist. */
export function checkCompleters(owner: string, completers: Completers | undefined, names: readonly string[]): void {
  const stray = Object.keys(completers ?? {}).find((name) => !names.includes(name));
  if (stray !== undefined) throw new TypeError(`${owner}: complete: there is no "${stray}" to complete`);
}

/** `completion/complete`: suggests values of prompt arguments and of URI template variables. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { type MaybePromise, thenMaybe } from '../../jsonrpc/maybe-promise.ts';
import { isObject, type Params } from '../../jsonrpc/message.ts';
import { shorten } from '../../jsonrpc/printable.ts';
import type { CompleteResult, Completion } from '../../protocol/model/completion.ts';
import type { Context } from '../context.ts';
import { MAX_COMPLETION_VALUES } from '../limits/default-limits.ts';
import type { RequestContext } from '../request-context.ts';
import type { Entry, Registry } from './registry.ts';
import { WrongReturn } from './tool-result.ts';

interface CompletableEntry extends Entry {
  readonly complete: Completers | undefined;
}

interface Completable {
  readonly prompts: Registry<CompletableEntry>;
  readonly templates: Registry<CompletableEntry>;
  readonly resources: Registry<Entry>;
}

/** Handles `completion/complete`. Returns no values if no completer is registered for the argument. */
export function complete(
  { prompts, templates, resources }: Completable,
  ctx: RequestContext,
): MaybePromise<CompleteResult> {
  const { type, target, name, value, others } = readParams(ctx.params);
  const found = type === 'ref/prompt' ? prompts.get(target, ctx) : templates.get(target, ctx);
  // Some clients request completions for a resource instead of a template. They get an empty result, not an error.
  const isResource = !found && type === 'ref/resource' && resources.get(target, ctx) !== undefined;
  if (!found && !isResource) throw RpcError.invalidParams('"ref" names no prompt or resource template of this server');
  const completers: Completers | undefined = found?.complete;
  const completer = completers && Object.hasOwn(completers, name) ? completers[name] : undefined;
  if (!completer) return { completion: { values: [] } };
  const suggested = completer(value, { value, arguments: others }, ctx) as MaybePromise<unknown>;
  return thenMaybe(suggested, (returned) => completionResult(returned, `${shorten(target)}, ${shorten(name)}`));
}

function completionResult(returned: unknown, where: string): CompleteResult {
  const suggested = Array.isArray(returned) ? { values: returned, total: returned.length, hasMore: false } : returned;
  const isValid = isObject(suggested) && Array.isArray(suggested['values']);
  if (!isValid || !(suggested['values'] as unknown[]).every((value) => typeof value === 'string')) {
    throw new WrongReturn(`The completer of ${where} must return an array of strings, or { values }`);
  }
  const { values, total, hasMore } = suggested as unknown as Completion;
  return {
    completion: {
      values: values.slice(0, MAX_COMPLETION_VALUES),
      ...(total === undefined ? {} : { total }),
      ...(values.length > MAX_COMPLETION_VALUES ? { hasMore: true } : hasMore === undefined ? {} : { hasMore }),
    },
  };
}

function readParams(params: Params) {
  const { ref, argument, context } = params;
  if (!isObject(ref)) throw RpcError.invalidParams('"ref" must be an object');
  const target = ref['type'] === 'ref/prompt' ? ref['name'] : ref['type'] === 'ref/resource' ? ref['uri'] : undefined;
  if (typeof target !== 'string') {
    throw RpcError.invalidParams('"ref" must be { type: "ref/prompt", name } or { type: "ref/resource", uri }');
  }
  if (!isObject(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string') {
    throw RpcError.invalidParams('"argument" must be an object with the strings "name" and "value"');
  }
  return {
    type: ref['type'] as string,
    target,
    name: argument['name'],
    value: argument['value'],
    others: otherArguments(context),
  };
}

function otherArguments(context: unknown): Readonly<Record<string, string>> {
  if (context === undefined) return {};
  const others = isObject(context) ? (context['arguments'] ?? {}) : undefined;
  if (!isObject(others) || !Object.values(others).every((value) => typeof value === 'string')) {
    throw RpcError.invalidParams('"context.arguments" must be an object of strings');
  }
  return others as Record<string, string>;
}

/** The text to complete, and the values of the other arguments that the user has already filled in. */
export interface CompletionInput {
  readonly value: string;
  readonly arguments: Readonly<Record<string, string>>;
}

/** Suggests values of an argument or variable, best first. Clients get the first 100, and `hasMore: true` if there are more. */
export type Completer = (
  value: string,
  input: CompletionInput,
  ctx: Context,
) => readonly string[] | Completion | Promise<readonly string[] | Completion>;

/** Completers, keyed by the name of the prompt argument or template variable. */
export type Completers = Readonly<Record<string, Completer>>;

/** Throws a `TypeError` if `completers` has a key that is not in `names`. The message begins with `where`. */
export function checkCompleters(where: string, completers: Completers | undefined, names: readonly string[]): void {
  const unknown = Object.keys(completers ?? {}).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`${where}: complete has "${unknown}", but there is no such argument or variable`);
}

/** Completion: suggestions for what a person is typing. Loaded when a client first asks for some. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';
import type { CompleteResult, Completion } from '../protocol/model/completion.ts';
import type { Completers } from './completers.ts';
import type { RequestContext } from './context.ts';
import { chain, type Maybe } from './maybe.ts';
import type { PromptEntry } from './prompts.ts';
import type { Registry } from './registry.ts';
import type { ResourceEntry, TemplateEntry } from './resources.ts';

const MAX_VALUES = 100;

/** Registered features by which completion finds what a `ref` names. */
interface Completable {
  readonly prompts: Registry<PromptEntry>;
  readonly templates: Registry<TemplateEntry>;
  readonly resources: Registry<ResourceEntry>;
}

/** Answers `completion/complete`. An argument without a completer, known or not, has no suggestions. */
export function complete({ prompts, templates, resources }: Completable, ctx: RequestContext): Maybe<CompleteResult> {
  const { type, target, name, value, others } = readParams(ctx.params);
  const found = type === 'ref/prompt' ? prompts.get(target, ctx) : templates.get(target, ctx);
  // Clients ask for any URI that a person types into: a resource that is no template has nothing to complete.
  const isResource = !found && type === 'ref/resource' && resources.get(target, ctx) !== undefined;
  if (!found && !isResource) throw RpcError.invalidParams('"ref" names nothing that can be completed');
  const completers: Completers | undefined = found?.complete;
  const completer = completers && Object.hasOwn(completers, name) ? completers[name] : undefined;
  if (!completer) return { completion: { values: [] } };
  return chain(completer(value, { value, arguments: others }, ctx) as Maybe<readonly string[] | Completion>, cut);
}

function cut(suggested: readonly string[] | Completion): CompleteResult {
  const { values, total, hasMore } =
    'values' in suggested && !Array.isArray(suggested) ? (suggested as Completion) : all(suggested);
  return {
    completion: {
      values: values.slice(0, MAX_VALUES),
      ...(total === undefined ? {} : { total }),
      ...(hasMore || values.length > MAX_VALUES ? { hasMore: true } : hasMore === undefined ? {} : { hasMore }),
    },
  };
}

function all(values: unknown): Completion {
  if (!Array.isArray(values)) throw new Error('A completer returned neither an array nor an object with "values"');
  return { values, total: values.length, hasMore: values.length > MAX_VALUES };
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

/** Registers prompts, and handles `prompts/get`. */

import { RpcError } from '../../jsonrpc/errors.ts';
import type { KeysOf } from '../../jsonrpc/known-options.ts';
import { type MaybePromise, thenMaybe } from '../../jsonrpc/maybe-promise.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { shorten } from '../../jsonrpc/printable.ts';
import type { Icon } from '../../protocol/model/implementation.ts';
import type { Meta } from '../../protocol/model/meta.ts';
import type { GetPromptResult, Prompt, PromptArgument, PromptMessage } from '../../protocol/model/prompts.ts';
import { stringParam } from '../../protocol/params.ts';
import { type CheckedSchema, checkedSchema } from '../../schema/check/checked-schema.ts';
import type { AnySchema, InferOutput } from '../../schema/local/infer.ts';
import { describeProblems } from '../../schema/problems.ts';
import type { Context } from '../context.ts';
import { InputRequired } from '../input/input-required.ts';
import type { RequestContext } from '../request-context.ts';
import { type Completers, checkCompleters } from './completion.ts';
import { isContent } from './content.ts';
import { type EntryConfig, entryOptions } from './entry-config.ts';
import type { Entry, Registry } from './registry.ts';
import { WrongReturn } from './tool-result.ts';
import { unknownName } from './unknown-name.ts';

/** Second argument of `registerPrompt`, which throws a `TypeError` for unknown keys. */
export interface PromptConfig<S extends AnySchema = AnySchema> extends EntryConfig {
  readonly title?: string;
  readonly description?: string;
  /** Schema of an object with one string property per argument. Default: the prompt takes no arguments. */
  readonly argsSchema?: S;
  /** Functions that suggest argument values (`completion/complete`), keyed by argument name. Default: no suggestions. */
  readonly complete?: Completers;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

/** Return values of a prompt handler. A string becomes one message with the role `user`. */
export type PromptReturn = string | PromptMessage | readonly PromptMessage[] | GetPromptResult | InputRequired;

/** Handles `prompts/get` for one prompt. `args` are the arguments after validation with `argsSchema`. */
export type PromptHandler<S> = (args: PromptArguments<S>, ctx: Context) => PromptReturn | Promise<PromptReturn>;

type PromptArguments<S> = unknown extends InferOutput<S> ? Readonly<Record<string, string>> : InferOutput<S>;

export interface PromptEntry extends Entry {
  readonly definition: Prompt;
  readonly input: CheckedSchema | undefined;
  readonly complete: Completers | undefined;
  readonly get: (args: never, ctx: Context) => unknown;
}

const KEYS: Omit<KeysOf<PromptConfig>, keyof EntryConfig> = {
  title: true,
  description: true,
  argsSchema: true,
  complete: true,
  icons: true,
  _meta: true,
};

/** Makes an entry from the arguments of `registerPrompt`. Throws a `TypeError` that names the prompt if one is invalid. */
export function promptEntry(name: string, config: PromptConfig, get: PromptEntry['get']): PromptEntry {
  const where = `Prompt "${shorten(name)}"`;
  const { access, options } = entryOptions(where, config, KEYS, get);
  const { argsSchema, complete, ...shown } = options;
  if (name === '') throw new TypeError('A prompt must have a name');
  const input = argsSchema && checkedSchema(argsSchema, `${where}: argsSchema`, 'input');
  const args = input ? argumentsOf(where, input.jsonSchema) : [];
  const names = args.map((arg) => arg.name);
  checkCompleters(where, complete, names);
  const definition: Prompt = { name, ...shown, ...(args.length > 0 ? { arguments: args } : {}) };
  return { key: name, definition, ...access, input, complete, get };
}

function argumentsOf(where: string, schema: Readonly<Record<string, unknown>>): PromptArgument[] {
  const { properties, required } = schema;
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([name, property]) => {
    const { type = 'string', title, description } = isObject(property) ? property : {};
    if (type !== 'string') {
      throw new TypeError(`${where}: argsSchema/properties/${name}: an argument of a prompt is always a string`);
    }
    return {
      name,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      ...(Array.isArray(required) && required.includes(name) ? { required: true } : {}),
    };
  });
}

export function getPrompt(prompts: Registry<PromptEntry>, ctx: RequestContext): MaybePromise<unknown> {
  const name = stringParam(ctx.params, 'name');
  const prompt = prompts.get(name, ctx);
  if (!prompt) throw unknownName('prompt', name, prompts, ctx);
  ctx.entry = prompt;
  const { arguments: args = {} } = ctx.params;
  if (!isObject(args) || !Object.values(args).every((value) => typeof value === 'string')) {
    throw RpcError.invalidParams('"arguments" must be an object of strings');
  }
  return thenMaybe(prompt.input ? prompt.input.check(args) : { ok: true as const, value: args }, (checked) => {
    if (!checked.ok) {
      throw RpcError.invalidParams(
        `Invalid arguments for prompt ${name}: ${describeProblems(checked.problems, checked.unlisted)}`,
      );
    }
    const value = prompt.get(checked.value as never, ctx) as MaybePromise<unknown>;
    return thenMaybe(value, (returned) => promptResult(returned, prompt));
  });
}

function promptResult(returned: unknown, { key, definition }: PromptEntry): object {
  const { description } = definition;
  const result = (messages: readonly PromptMessage[]): GetPromptResult =>
    description === undefined ? { messages } : { description, messages };
  if (typeof returned === 'string') return result([{ role: 'user', content: { type: 'text', text: returned } }]);
  if (returned instanceof InputRequired) return returned;
  if (isMessages(returned)) return result(returned);
  if (isMessages([returned])) return result([returned as PromptMessage]);
  if (isObject(returned) && isMessages(returned['messages'])) return returned;
  throw new WrongReturn(
    `Prompt "${key}" returned neither a string nor messages: return text, or { role, content } objects`,
  );
}

function isMessages(value: unknown): value is PromptMessage[] {
  return (
    Array.isArray(value) &&
    value.every((item) => isObject(item) && typeof item['role'] === 'string' && isContent(item['content']))
  );
}

/** Prompts: registration and `prompts/get`. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { checkOptions, type KeysOf } from '../../jsonrpc/known-options.ts';
import { type MaybePromise, thenMaybe } from '../../jsonrpc/maybe-promise.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { shorten } from '../../jsonrpc/printable.ts';
import type { ContentBlock } from '../../protocol/model/content.ts';
import type { Icon } from '../../protocol/model/implementation.ts';
import type { Meta } from '../../protocol/model/meta.ts';
import type { GetPromptResult, Prompt, PromptArgument, PromptMessage } from '../../protocol/model/prompts.ts';
import { stringParam } from '../../protocol/params.ts';
import { type CheckedSchema, checkedSchema } from '../../schema/check/checked-schema.ts';
import type { AnySchema, InferOutput } from '../../schema/local/infer.ts';
import { describeProblems } from '../../schema/problems.ts';
import { scopesOf } from '../authorization/scopes.ts';
import type { Context } from '../context.ts';
import { InputRequired } from '../input/input-required.ts';
import type { RequestContext } from '../request-context.ts';
import { type Completers, checkCompleters } from './completion.ts';
import { checkErrors, type Entry, type ErrorDisclosure, type Registry, unknownName, type Visible } from './registry.ts';
import { isContent, WrongReturn } from './tool-result.ts';

/** What a prompt is, apart from its name and its handler. */
export interface PromptConfig<S extends AnySchema = AnySchema> {
  readonly title?: string;
  readonly description?: string;
  /** An object schema whose properties are strings: one argument each. */
  readonly argsSchema?: S;
  /** Suggestions for arguments, by name. */
  readonly complete?: Completers;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
  /** Hides the prompt from some callers. */
  readonly visible?: Visible;
  /** Who asks for it must have been granted all of these, or is told to ask for them. They are not shown in the list. */
  readonly scopes?: readonly string[];
  /** What the client is told of plain errors of the handler: only a reference, or their messages. Default: the server's `errors`. */
  readonly errors?: ErrorDisclosure;
  /** Takes the place of a prompt of the same name. */
  readonly replace?: boolean;
}

/** What a prompt's handler may return: a string is one message of the user's. */
export type PromptReturn = string | PromptMessage | readonly PromptMessage[] | GetPromptResult | InputRequired;

/** Makes the messages. */
export type PromptHandler<S> = (args: PromptArguments<S>, ctx: Context) => PromptReturn | Promise<PromptReturn>;

type PromptArguments<S> = unknown extends InferOutput<S> ? Readonly<Record<string, string>> : InferOutput<S>;

/** A registered prompt. */
export interface PromptEntry extends Entry {
  readonly definition: Prompt;
  readonly input: CheckedSchema | undefined;
  readonly complete: Completers | undefined;
  readonly get: (args: never, ctx: Context) => unknown;
}

const KEYS: KeysOf<PromptConfig> = {
  title: true,
  description: true,
  argsSchema: true,
  complete: true,
  icons: true,
  _meta: true,
  visible: true,
  scopes: true,
  errors: true,
  replace: true,
};

/** Makes a prompt ready to be served. */
export function promptEntry(name: string, config: PromptConfig, get: PromptEntry['get']): PromptEntry {
  checkOptions(`Prompt "${shorten(name)}"`, config ?? null, KEYS);
  const { argsSchema, complete, visible, scopes: needed, errors, replace: _, ...shown } = config;
  if (name === '') throw new TypeError('A prompt must have a name');
  if (typeof get !== 'function') throw new TypeError(`Prompt "${name}": the handler must be a function`);
  const input = argsSchema && checkedSchema(argsSchema, `Prompt "${name}": argsSchema`, 'input');
  const args = input ? argumentsOf(name, input.jsonSchema) : [];
  checkCompleters(
    `Prompt "${name}"`,
    complete,
    args.map((one) => one.name),
  );
  const definition: Prompt = { name, ...shown, ...(args.length > 0 ? { arguments: args } : {}) };
  const scopes = scopesOf(`Prompt "${name}"`, needed);
  checkErrors(`Prompt "${name}"`, errors);
  return { key: name, definition, visible, scopes, errors, input, complete, get };
}

function argumentsOf(prompt: string, schema: Readonly<Record<string, unknown>>): PromptArgument[] {
  const { properties, required } = schema;
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([name, property]) => {
    const { type = 'string', title, description } = isObject(property) ? property : {};
    if (type !== 'string') {
      throw new TypeError(
        `Prompt "${prompt}": argsSchema/properties/${name}: an argument of a prompt is always a string`,
      );
    }
    return {
      name,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      ...(Array.isArray(required) && required.includes(name) ? { required: true } : {}),
    };
  });
}

/** Answers `prompts/get`. */
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
  if (typeof returned === 'string') return result([message({ type: 'text', text: returned })]);
  if (returned instanceof InputRequired) return returned;
  if (isMessages(returned)) return result(returned);
  if (isMessages([returned])) return result([returned as PromptMessage]);
  if (isObject(returned) && isMessages(returned['messages'])) return returned;
  throw new WrongReturn(`Prompt "${key}" returned neither a string nor messages`);
}

function isMessages(value: unknown): value is PromptMessage[] {
  return (
    Array.isArray(value) &&
    value.every((one) => isObject(one) && typeof one['role'] === 'string' && isContent(one['content']))
  );
}

function message(content: ContentBlock): PromptMessage {
  return { role: 'user', content };
}

/** `prompts/get`. Loaded with the first of them. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import { stringParam } from '../protocol/checks.ts';
import type { ContentBlock } from '../protocol/model/content.ts';
import type { GetPromptResult, PromptMessage } from '../protocol/model/prompts.ts';
import { describeProblems } from '../schema/problems.ts';
import type { RequestContext } from './context.ts';
import { InputRequired } from './input-required.ts';
import { chain, type Maybe } from './maybe.ts';
import type { PromptEntry } from './prompts.ts';
import type { Registry } from './registry.ts';
import { WrongReturn } from './returned.ts';
import { isContent } from './tool-result.ts';
import { unknownName } from './unknown-name.ts';

/** Answers `prompts/get`. */
export function getPrompt(prompts: Registry<PromptEntry>, ctx: RequestContext): Maybe<unknown> {
  const name = stringParam(ctx.params, 'name');
  const prompt = prompts.get(name, ctx);
  if (!prompt) throw unknownName('prompt', name, prompts, ctx);
  ctx.entry = prompt;
  const { arguments: args = {} } = ctx.params;
  if (!isObject(args) || !Object.values(args).every((value) => typeof value === 'string')) {
    throw RpcError.invalidParams('"arguments" must be an object of strings');
  }
  return chain(prompt.input ? prompt.input.check(args) : { ok: true as const, value: args }, (checked) => {
    if (!checked.ok) {
      throw RpcError.invalidParams(
        `Invalid arguments for prompt ${name}: ${describeProblems(checked.problems, checked.unlisted)}`,
      );
    }
    const value = prompt.get(checked.value as never, ctx) as Maybe<unknown>;
    return chain(value, (returned) => promptResult(returned, prompt));
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

/** Tools: registration and `tools/call`. */

import { RpcError } from '../../jsonrpc/errors.ts';
import type { KeysOf } from '../../jsonrpc/known-options.ts';
import { isPromise, type MaybePromise, thenMaybe } from '../../jsonrpc/maybe-promise.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { shorten } from '../../jsonrpc/printable.ts';
import { badArguments } from '../../protocol/errors.ts';
import { paramHeaders } from '../../protocol/http/http-headers.ts';
import type { CallToolResult, Tool } from '../../protocol/model/tools.ts';
import { stringParam } from '../../protocol/params.ts';
import type { EncodingHints } from '../../protocol/revision.ts';
import { type CheckedSchema, checkedSchema } from '../../schema/check/checked-schema.ts';
import { describeProblems } from '../../schema/problems.ts';
import type { Context } from '../context.ts';
import { runDetached, runUntilDetached } from '../extensions/detached-call.ts';
import type { TaskStarter } from '../extensions/extension.ts';
import { ExtensionResult } from '../extensions/extension-result.ts';
import type { Extensions } from '../extensions/extensions.ts';
import { toolFailure } from '../handler-errors.ts';
import { InputRequired } from '../input/input-required.ts';
import type { RequestContext } from '../request-context.ts';
import { type EntryConfig, entryOptions } from './entry-config.ts';
import type { Entry, Registry } from './registry.ts';
import { toolResult, WrongReturn, withStructured, wrongReturnOf } from './tool-result.ts';
import type { ToolConfig } from './tool-types.ts';
import { unknownName } from './unknown-name.ts';

/** A registered tool. */
export interface ToolEntry extends Entry {
  readonly definition: Tool;
  readonly input: CheckedSchema;
  readonly output: CheckedSchema | undefined;
  /** Hints for encoding results of the tool, such as its output schema. */
  readonly encodingHints: EncodingHints;
  readonly call: (args: never, ctx: Context) => unknown;
  /** Returns a function that starts a task for a call, or undefined to run it normally. Not set without the tasks extension. */
  readonly taskStarter: ((ctx: RequestContext) => TaskStarter | undefined) | undefined;
  /** True if a call becomes a task only when its handler calls `ctx.detach()`. */
  readonly detachesManually: boolean;
}

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

const EMPTY_ARGUMENTS = { ok: true, value: Object.freeze({}) } as const;

/**
 * The schema of a tool without `inputSchema`. It has `properties`, because some model providers refuse schemas without. Its check
 * ignores all arguments, because some clients send a dummy argument to such tools.
 */
const NO_ARGUMENTS: CheckedSchema = { jsonSchema: { type: 'object', properties: {} }, check: () => EMPTY_ARGUMENTS };

/** Checks the arguments of `registerTool` and returns the entry to add. Throws a `TypeError` with the tool's name. */
export function toolEntry(
  name: string,
  config: ToolConfig,
  call: ToolEntry['call'],
  extensions: Extensions,
): ToolEntry {
  const where = `Tool "${shorten(name)}"`;
  const { access, options } = entryOptions(where, config, KEYS, call, extensions.toolOptions, OTHER_NAMES);
  const { inputSchema, outputSchema, task, detach, ...shown } = options;
  if (!NAME.test(name)) throw new TypeError(`${where}: a name has 1 to 128 of the characters A-Z a-z 0-9 _ . -`);
  checkTask(where, task, detach, extensions);
  const input = inputSchema ? checkedSchema(inputSchema, `${where}: inputSchema`, 'input') : NO_ARGUMENTS;
  // `x-mcp-header` names the arguments that HTTP clients repeat as header fields.
  const headers = paramHeaders(input.jsonSchema);
  if ('fault' in headers) throw new TypeError(`${where}: inputSchema: ${headers.fault}`);
  const output = outputSchema && checkedSchema(outputSchema, `${where}: outputSchema`, 'output');
  const definition: Tool = {
    name,
    ...shown,
    inputSchema: input.jsonSchema,
    ...(output ? { outputSchema: output.jsonSchema } : {}),
  };
  return {
    key: name,
    definition: extensions.describe(definition, config),
    ...access,
    input,
    output,
    encodingHints: { outputSchema: output?.jsonSchema },
    call,
    taskStarter: extensions.canDetach ? (ctx) => extensions.taskStarterFor(name, config, ctx) : undefined,
    detachesManually: detach === 'manual',
  };
}

const OTHER_NAMES = new Map([
  ['parameters', 'inputSchema'],
  ['schema', 'inputSchema'],
  ['input', 'inputSchema'],
]);

const KEYS: Omit<KeysOf<ToolConfig>, keyof EntryConfig> = {
  title: true,
  description: true,
  inputSchema: true,
  outputSchema: true,
  annotations: true,
  icons: true,
  _meta: true,
  task: true,
  detach: true,
};

const TASK: readonly unknown[] = [undefined, 'auto', 'required', 'never'];

function checkTask(where: string, task: unknown, detach: unknown, { canDetach }: Extensions): void {
  if (!TASK.includes(task)) throw new TypeError(`${where}: task must be "auto", "required" or "never"`);
  if (detach !== undefined && detach !== 'manual') throw new TypeError(`${where}: detach can only be "manual"`);
  if (task !== 'required' || canDetach) return;
  throw new TypeError(
    `${where}: task: "required" needs the tasks extension: new McpServer(info, { extensions: [tasks()] })`,
  );
}

/** Handles `tools/call`: checks the arguments, runs the handler and makes its result. */
export function callTool(tools: Registry<ToolEntry>, ctx: RequestContext): MaybePromise<unknown> {
  const name = stringParam(ctx.params, 'name');
  const tool = tools.get(name, ctx);
  if (!tool) throw unknownName('tool', name, tools, ctx);
  const { arguments: args = {} } = ctx.params;
  if (!isObject(args)) throw RpcError.invalidParams('"arguments" must be an object');
  ctx.encodingHints = tool.encodingHints;
  ctx.entry = tool;
  return thenMaybe(tool.input.check(args), (checked) => {
    if (!checked.ok)
      throw badArguments(`Invalid arguments for tool ${name}: ${describeProblems(checked.problems, checked.unlisted)}`);
    const startTask = tool.taskStarter?.(ctx);
    return startTask ? runAsTask(tool, checked.value, ctx, startTask) : run(tool, checked.value, ctx);
  });
}

function runAsTask(tool: ToolEntry, args: unknown, ctx: RequestContext, startTask: TaskStarter): Promise<unknown> {
  const start = (): MaybePromise<unknown> => run(tool, args, ctx);
  return tool.detachesManually ? runUntilDetached(ctx, startTask, start) : runDetached(ctx, startTask, start);
}

function run(tool: ToolEntry, args: unknown, ctx: RequestContext): MaybePromise<unknown> {
  // The client may have cancelled the call during an asynchronous check of its arguments.
  if (ctx.isAborted) throw RpcError.internal('The call was cancelled before it began');
  const failed = (error: unknown): CallToolResult => toolFailure(error, ctx);
  try {
    const value = tool.call(args as never, ctx) as MaybePromise<unknown>;
    const result = thenMaybe(value, (returned) => finish(tool, returned));
    return isPromise(result) ? result.catch(failed) : result;
  } catch (error) {
    return failed(error);
  }
}

function finish(tool: ToolEntry, returned: unknown): MaybePromise<unknown> {
  // Neither of them is a tool result: there is no content to check.
  if (returned instanceof InputRequired || returned instanceof ExtensionResult) return returned;
  const result = toolResult(returned, tool.output !== undefined, tool.key);
  if (!tool.output || result.isError) return withStructured(result, result.structuredContent, tool.key);
  if (result.structuredContent === undefined) {
    throw new WrongReturn(
      `Tool "${tool.key}" has an output schema, but returned no structured content: return the object that the schema describes`,
    );
  }
  return thenMaybe(tool.output.check(result.structuredContent), (checked) => {
    // The checked value is sent, because it has the schema's defaults and transformations.
    if (checked.ok) return withStructured(result, checked.value, tool.key);
    const wrong = wrongReturnOf(returned);
    if (wrong !== undefined) throw new WrongReturn(`Tool "${tool.key}" returned ${wrong}`);
    const problems = describeProblems(checked.problems, checked.unlisted);
    throw new WrongReturn(`Tool "${tool.key}" returned a result that does not fit its output schema: ${problems}`);
  });
}

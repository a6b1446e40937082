/** Registers tools, and handles `tools/call`. */

import { RpcError } from '../../jsonrpc/errors.ts';
import type { KeysOf } from '../../jsonrpc/known-options.ts';
import { isPromise, type MaybePromise, thenMaybe } from '../../jsonrpc/maybe-promise.ts';
import { type EncodedJson, isObject } from '../../jsonrpc/message.ts';
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

export interface ToolEntry extends Entry {
  readonly definition: Tool;
  readonly input: CheckedSchema;
  readonly output: CheckedSchema | undefined;
  readonly encodingHints: EncodingHints;
  readonly call: (args: never, ctx: Context) => unknown;
  /** Returns the function that starts a task for a call; undefined if the call gets none. Unset without the tasks extension. */
  readonly taskStarter: ((ctx: RequestContext) => TaskStarter | undefined) | undefined;
  readonly detachesManually: boolean;
}

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

const EMPTY_ARGUMENTS = { ok: true, value: Object.freeze({}) } as const;

// Schema of tools without `inputSchema`. It has `properties`, because some model providers refuse schemas without `properties`.
// `check` ignores all arguments, because some clients send a dummy argument to tools that take none.
const NO_ARGUMENTS: CheckedSchema = { jsonSchema: { type: 'object', properties: {} }, check: () => EMPTY_ARGUMENTS };

/** Makes an entry from the arguments of `registerTool`. Throws a `TypeError` that names the tool if one is invalid. */
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
  // Validates `x-mcp-header` annotations. They name arguments whose values HTTP clients also send in header fields.
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
  // The client could have cancelled the call while a schema library validated the arguments asynchronously.
  if (ctx.isAborted) throw RpcError.internal('The call was cancelled before it began');
  const failed = (error: unknown): CallToolResult => toolFailure(error, ctx);
  try {
    const value = tool.call(args as never, ctx) as MaybePromise<unknown>;
    const result = thenMaybe(value, (returned) => finish(tool, returned, ctx));
    return isPromise(result) ? result.catch(failed) : result;
  } catch (error) {
    return failed(error);
  }
}

function finish(tool: ToolEntry, returned: unknown, ctx: RequestContext): MaybePromise<unknown> {
  // `InputRequired` and `ExtensionResult` are not tool results, so the output schema does not apply to them.
  if (returned instanceof InputRequired || returned instanceof ExtensionResult) return returned;
  const result = toolResult(returned, tool.output !== undefined, tool.key);
  const structured = (value: unknown): CallToolResult | EncodedJson => {
    const whole = withStructured(result, value, tool.key);
    // True if the handler returned only data: the content of `whole` is then the JSON text that `withStructured` added.
    const isOnlyData = result.content.length === 0 && Object.keys(result).length === 2;
    return isOnlyData ? encodedOnce(whole, ctx) : whole;
  };
  if (!tool.output || result.isError) return structured(result.structuredContent);
  if (result.structuredContent === undefined) {
    throw new WrongReturn(
      `Tool "${tool.key}" has an output schema, but returned no structured content: return the object that the schema describes`,
    );
  }
  return thenMaybe(tool.output.check(result.structuredContent), (checked) => {
    // The output of the schema check is sent, because it contains the schema's defaults and transformations.
    if (checked.ok) return structured(checked.value);
    const wrong = wrongReturnOf(returned);
    if (wrong !== undefined) throw new WrongReturn(`Tool "${tool.key}" returned ${wrong}`);
    const problems = describeProblems(checked.problems, checked.unlisted);
    throw new WrongReturn(`Tool "${tool.key}" returned a result that does not fit its output schema: ${problems}`);
  });
}

// Encodes a result from its text content, which is the JSON of `structuredContent`. Encoding that JSON only once saves 10 % of
// the time of a call over stdio. If middleware or extensions could change the result, returns it as an object.
function encodedOnce(
  result: CallToolResult,
  { wire, server, encodingHints }: RequestContext,
): CallToolResult | EncodedJson {
  const [first] = result.content;
  if (result.structuredContent === undefined || first?.type !== 'text') return result;
  if (server.middleware.length > 0 || server.extensions.addsMeta) return result;
  return wire.encodeStructuredResult(first.text, result, encodingHints, server.serverInfo) ?? result;
}

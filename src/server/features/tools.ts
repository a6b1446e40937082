/** Tools: registered once, checked on the way in and on the way out. */

import { RpcError, shorten } from '../../jsonrpc/errors.ts';
import { checkOptions, type KeysOf } from '../../jsonrpc/known-options.ts';
import { isPromise, type MaybePromise, thenMaybe } from '../../jsonrpc/maybe-promise.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { badArguments } from '../../protocol/errors.ts';
import { paramHeaders } from '../../protocol/http/http-headers.ts';
import type { CallToolResult, Tool } from '../../protocol/model/tools.ts';
import { stringParam } from '../../protocol/params.ts';
import type { EncodingHints } from '../../protocol/revision.ts';
import { type CheckedSchema, checkedSchema } from '../../schema/check/checked-schema.ts';
import { describeProblems } from '../../schema/problems.ts';
import { scopesOf } from '../authorization/scopes.ts';
import type { Context } from '../context.ts';
import { runDetached, runUntilDetached } from '../extensions/detached-call.ts';
import type { TaskStarter } from '../extensions/extension.ts';
import { ExtensionResult } from '../extensions/extension-result.ts';
import type { Extensions } from '../extensions/extensions.ts';
import { toolFailure } from '../handler-errors.ts';
import { InputRequired } from '../input/input-required.ts';
import type { RequestContext } from '../request-context.ts';
import { checkErrors, type Entry, type Registry, unknownName } from './registry.ts';
import { toolResult, WrongReturn, withStructured, wrongReturnOf } from './tool-result.ts';
import type { ToolConfig } from './tool-types.ts';

/** A registered tool. */
export interface ToolEntry extends Entry {
  readonly definition: Tool;
  readonly input: CheckedSchema;
  readonly output: CheckedSchema | undefined;
  /** What there is to know of its results. */
  readonly about: EncodingHints;
  readonly call: (args: never, ctx: Context) => unknown;
  /** How to answer a call before it is done, if somebody takes calls over. */
  readonly takeOver: ((ctx: RequestContext) => TaskStarter | undefined) | undefined;
  /** The handler says when. */
  readonly isManual: boolean;
}

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

const NONE_GIVEN = { ok: true, value: Object.freeze({}) } as const;

/**
 * The schema of a tool that has none. Some model providers refuse a schema without `properties`, and some hosts send a
 * dummy argument to such tools: arguments are ignored.
 */
const NO_ARGUMENTS: CheckedSchema = { jsonSchema: { type: 'object', properties: {} }, check: () => NONE_GIVEN };

/** Makes a tool ready to be served; what is wrong with it is told now, with its name. */
export function toolEntry(
  name: string,
  config: ToolConfig,
  call: ToolEntry['call'],
  extensions: Extensions,
): ToolEntry {
  checkOptions(`Tool "${shorten(name)}"`, config ?? null, KEYS, extensions.toolOptions, ELSEWHERE);
  const {
    inputSchema,
    outputSchema,
    visible,
    scopes: needed,
    task: _task,
    detach,
    errors,
    replace: _,
    ...shown
  } = config;
  if (!NAME.test(name)) {
    throw new TypeError(`Tool "${shorten(name)}": a name has 1 to 128 of the characters A-Z a-z 0-9 _ . -`);
  }
  if (typeof call !== 'function') throw new TypeError(`Tool "${name}": the handler must be a function`);
  checkTask(name, config, extensions);
  const where = `Tool "${name}": inputSchema`;
  const input = inputSchema ? checkedSchema(inputSchema, where, 'input') : NO_ARGUMENTS;
  checkHeaderAnnotations(where, input);
  const output = outputSchema && checkedSchema(outputSchema, `Tool "${name}": outputSchema`, 'output');
  const scopes = scopesOf(`Tool "${name}"`, needed);
  checkErrors(`Tool "${name}"`, errors);
  const definition: Tool = {
    name,
    ...shown,
    inputSchema: input.jsonSchema,
    ...(output ? { outputSchema: output.jsonSchema } : {}),
  };
  return {
    key: name,
    definition: extensions.describe(definition, config),
    visible,
    scopes,
    errors,
    input,
    output,
    about: { outputSchema: output?.jsonSchema },
    call,
    takeOver: extensions.canDetach ? (ctx) => extensions.taskStarterFor(name, config, ctx) : undefined,
    isManual: detach === 'manual',
  };
}

const ELSEWHERE = new Map([
  ['parameters', 'inputSchema'],
  ['schema', 'inputSchema'],
  ['input', 'inputSchema'],
]);

const KEYS: KeysOf<ToolConfig> = {
  title: true,
  description: true,
  inputSchema: true,
  outputSchema: true,
  annotations: true,
  icons: true,
  _meta: true,
  visible: true,
  scopes: true,
  task: true,
  detach: true,
  errors: true,
  replace: true,
};

// `x-mcp-header` names the arguments that HTTP clients repeat as header fields.
function checkHeaderAnnotations(where: string, { jsonSchema }: CheckedSchema): void {
  const read = paramHeaders(jsonSchema);
  if ('fault' in read) throw new TypeError(`${where}: ${read.fault}`);
}

const TASK: readonly unknown[] = [undefined, 'auto', 'required', 'never'];

function checkTask(name: string, { task, detach }: ToolConfig, { canDetach }: Extensions): void {
  if (!TASK.includes(task)) throw new TypeError(`Tool "${name}": task must be "auto", "required" or "never"`);
  if (detach !== undefined && detach !== 'manual') throw new TypeError(`Tool "${name}": detach can only be "manual"`);
  if (task !== 'required' || canDetach) return;
  throw new TypeError(
    `Tool "${name}": task: "required" needs the tasks extension: new McpServer(info, { extensions: [tasks()] })`,
  );
}

/** Answers `tools/call`. */
export function callTool(tools: Registry<ToolEntry>, ctx: RequestContext): MaybePromise<unknown> {
  const name = stringParam(ctx.params, 'name');
  const tool = tools.get(name, ctx);
  if (!tool) throw unknownName('tool', name, tools, ctx);
  const { arguments: args = {} } = ctx.params;
  if (!isObject(args)) throw RpcError.invalidParams('"arguments" must be an object');
  ctx.encodingHints = tool.about;
  ctx.entry = tool;
  return thenMaybe(tool.input.check(args), (checked) => {
    if (!checked.ok)
      throw badArguments(`Invalid arguments for tool ${name}: ${describeProblems(checked.problems, checked.unlisted)}`);
    const takeOver = tool.takeOver?.(ctx);
    return takeOver ? runAsTask(tool, checked.value, ctx, takeOver) : run(tool, checked.value, ctx);
  });
}

function runAsTask(tool: ToolEntry, args: unknown, ctx: RequestContext, takeOver: TaskStarter): Promise<unknown> {
  const start = (): MaybePromise<unknown> => run(tool, args, ctx);
  return tool.isManual ? runUntilDetached(ctx, takeOver, start) : runDetached(ctx, takeOver, start);
}

function run(tool: ToolEntry, args: unknown, ctx: RequestContext): MaybePromise<unknown> {
  // The check may have taken its time, and the caller may be gone.
  if (ctx.isGivenUp) throw RpcError.internal('The call was cancelled before it began');
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
  // Questions for the client, which are not a result of the tool yet, or what an extension has in place of one.
  if (returned instanceof InputRequired || returned instanceof ExtensionResult) return returned;
  const result = toolResult(returned, tool.output !== undefined, tool.key);
  if (!tool.output || result.isError) return withStructured(result, result.structuredContent, tool.key);
  if (result.structuredContent === undefined) {
    throw new WrongReturn(
      `Tool "${tool.key}" has an output schema, but returned no structured content: return the object that the schema describes`,
    );
  }
  return thenMaybe(tool.output.check(result.structuredContent), (checked) => {
    // What the schema adds or takes away counts for the text, too.
    if (checked.ok) return withStructured(result, checked.value, tool.key);
    const wrong = wrongReturnOf(returned);
    if (wrong !== undefined) throw new WrongReturn(`Tool "${tool.key}" returned ${wrong}`);
    const problems = describeProblems(checked.problems, checked.unlisted);
    throw new WrongReturn(`Tool "${tool.key}" returned what its output schema refuses: ${problems}`);
  });
}

/** Types of tools. The types of arguments and results are inferred from the tool's schemas. */

import type { ContentBlock } from '../../protocol/model/content.ts';
import type { Icon } from '../../protocol/model/implementation.ts';
import type { Meta } from '../../protocol/model/meta.ts';
import type { CallToolResult, ToolAnnotations } from '../../protocol/model/tools.ts';
import type { AnySchema, InferInput, InferOutput } from '../../schema/local/infer.ts';
import type { CheckedInput } from '../../schema/local/input-schema-type.ts';
import type { Context } from '../context.ts';
import type { ExtensionResult } from '../extensions/extension-result.ts';
import type { InputRequired } from '../input/input-required.ts';
import type { EntryConfig } from './entry-config.ts';

/** Type of `inputSchema` for tools that are registered without one. Such tools take no arguments. */
export interface NoArguments {
  readonly type: 'object';
  readonly additionalProperties: false;
}

/** Type of `outputSchema` for tools that are registered without one. Such tools may return any result. */
export interface AnyResult {
  readonly 'no output schema': true;
}

/** Second argument of `registerTool`, first argument of `defineTool`. Registration throws a `TypeError` for unknown keys. */
export interface ToolConfig<I extends AnySchema = AnySchema, O extends AnySchema = AnySchema> extends EntryConfig {
  readonly title?: string;
  /** Text for the model about when and how to use the tool. */
  readonly description?: string;
  /** Schema of the arguments: a JSON Schema, or a schema of a library such as zod. Default: no arguments. */
  readonly inputSchema?: I;
  /** Schema of `structuredContent`: a JSON Schema, or a schema of a library such as zod. Default: any result. */
  readonly outputSchema?: O;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
  /**
   * Which calls run as tasks (needs the tasks extension). `auto`: calls of clients that support tasks. `required`: all calls;
   * clients without support get an error. `never`: no calls. Default: `never`.
   */
  readonly task?: 'auto' | 'required' | 'never';
  /** When a call becomes a task. `manual`: when its handler calls `ctx.detach()`. Default: before the handler starts. */
  readonly detach?: 'manual';
}

/** A plain object: no array, Map, Set, Promise, generator, function, Response or bytes. */
export type PlainObject = object & {
  readonly [Symbol.iterator]?: never;
  readonly [Symbol.asyncIterator]?: never;
  readonly [Symbol.toStringTag]?: never;
  readonly [Symbol.hasInstance]?: never;
  readonly arrayBuffer?: never;
  // Objects with `content` are excluded, because they are complete results, or data that needs an output schema.
  readonly content?: undefined;
};

/** Return values of a tool handler without an output schema, besides complete results: content blocks, text or other data. */
export type Loose =
  | readonly ContentBlock[]
  | ContentBlock
  | PlainObject
  | string
  | number
  | boolean
  | null
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing is typed void
  | void;

/** Return values of a tool handler. `Out` is the type that the output schema describes. */
export type ToolReturn<Out> = CallToolResult | InputRequired | ExtensionResult | Out;

/** Handles calls of a tool, with validated arguments. Thrown errors other than `RpcError` become results with `isError`. */
export type ToolHandler<In, Out> = (args: In, ctx: Context) => ToolReturn<Out> | Promise<ToolReturn<Out>>;

/** Type of a tool's handler. The condition covers the whole type, because a conditional return type would widen literals. */
export type HandlerOf<I, O> = [O] extends [AnyResult]
  ? ToolHandler<Arguments<I>, Loose>
  : ToolHandler<Arguments<I>, InferInput<O>>;

/** Type of the arguments that a handler gets, after validation against the input schema `I`. */
export type Arguments<I> = unknown extends InferOutput<I> ? Readonly<Record<string, unknown>> : InferOutput<I>;

/** Types of a tool's arguments and `structuredContent`, as a client of the server sees them. */
export interface ToolType<In, Out> {
  readonly input: In;
  readonly output: Out;
}

/** Type of the `structuredContent` that a client gets from a tool with the output schema `O`. */
export type Result<O> = O extends AnyResult ? unknown : InferOutput<O>;

/** A tool made with `defineTool`. `registerTools` registers it under a name. */
export interface ToolDefinition<I extends AnySchema = AnySchema, O extends AnySchema = AnySchema> {
  readonly config: ToolConfig<I, O>;
  readonly call: HandlerOf<I, O>;
}

export interface AnyToolDefinition {
  readonly config: object;
  readonly call: (args: never, ctx: Context) => unknown;
}

export type ToolTypeOf<D> =
  D extends ToolDefinition<infer I, infer O> ? ToolType<InferInput<I>, Result<O>> : ToolType<unknown, unknown>;

/** Makes a tool for `registerTools`, typed like `registerTool`, so that each tool can have a file of its own. */
export function defineTool<const I extends AnySchema = NoArguments, const O extends AnySchema = AnyResult>(
  config: ToolConfig<I, O> & CheckedInput<I>,
  // `NoInfer` halves the compile time of servers with many tools.
  handler: NoInfer<HandlerOf<I, O>>,
): ToolDefinition<I, O> {
  return { config, call: handler };
}

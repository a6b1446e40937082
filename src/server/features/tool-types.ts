/** The types of tools: arguments follow from the input schema, results from the output schema. */

import type { ContentBlock } from '../../protocol/model/content.ts';
import type { Icon } from '../../protocol/model/implementation.ts';
import type { Meta } from '../../protocol/model/meta.ts';
import type { CallToolResult, ToolAnnotations } from '../../protocol/model/tools.ts';
import type { CheckedInput } from '../../schema/local/checked-input.ts';
import type { AnySchema, InferInput, InferOutput } from '../../schema/local/infer.ts';
import type { Context } from '../context.ts';
import type { ExtensionResult } from '../extensions/extension-result.ts';
import type { InputRequired } from '../input/input-required.ts';
import type { EntryConfig } from './entry-config.ts';

/** Stands for the input schema in the types of a tool that has none: the tool takes no arguments. */
export interface NoArguments {
  readonly type: 'object';
  readonly additionalProperties: false;
}

/** Stands for the output schema in the types of a tool that has none: the tool may return any result. */
export interface AnyResult {
  readonly 'no output schema': true;
}

/** Options of `registerTool` and `defineTool`. */
export interface ToolConfig<I extends AnySchema = AnySchema, O extends AnySchema = AnySchema> extends EntryConfig {
  readonly title?: string;
  /** Text for the model about when and how to use the tool. */
  readonly description?: string;
  /** A JSON Schema, or a schema of a library such as zod, for the arguments. Default: the tool takes no arguments. */
  readonly inputSchema?: I;
  /** A schema for `structuredContent` of results. Default: any result. */
  readonly outputSchema?: O;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
  /**
   * Runs calls as tasks, if the server has the tasks extension: `auto` for clients that support tasks, `required` for all
   * clients, refusing those without support, `never` for none. Default: `never`.
   */
  readonly task?: 'auto' | 'required' | 'never';
  /** With `manual`, a call becomes a task when its handler calls `ctx.detach()`. Default: before the handler runs. */
  readonly detach?: 'manual';
}

/**
 * An object whose members JSON can encode: no array, Map, Set, Promise, generator, function, Response or bytes. Objects with
 * `content` are excluded, because they are complete results or need an output schema.
 */
export type PlainObject = object & {
  readonly [Symbol.iterator]?: never;
  readonly [Symbol.asyncIterator]?: never;
  readonly [Symbol.toStringTag]?: never;
  readonly [Symbol.hasInstance]?: never;
  readonly arrayBuffer?: never;
  readonly content?: undefined;
};

/** Return values of a handler without an output schema: content, or a value that is converted to content. */
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

/** Return values of a tool handler. `Out` is the type that follows from the output schema. */
export type ToolReturn<Out> = CallToolResult | InputRequired | ExtensionResult | Out;

/** Handles calls of a tool. The arguments fit the input schema; thrown errors become results with `isError`. */
export type ToolHandler<In, Out> = (args: In, ctx: Context) => ToolReturn<Out> | Promise<ToolReturn<Out>>;

/**
 * The handler of a tool with these schemas. The condition is around the whole function type: with a conditional return type,
 * the compiler would widen literals that the handler returns.
 */
export type HandlerOf<I, O> = [O] extends [AnyResult]
  ? ToolHandler<Arguments<I>, Loose>
  : ToolHandler<Arguments<I>, InferInput<O>>;

/** The type of a handler's arguments for an input schema. */
export type Arguments<I> = unknown extends InferOutput<I> ? Readonly<Record<string, unknown>> : InferOutput<I>;

/** The argument and result types of a tool, as a client of the server sees them. */
export interface ToolType<In, Out> {
  readonly input: In;
  readonly output: Out;
}

/** The type of the result that a client gets from a tool with this output schema. */
export type Result<O> = O extends AnyResult ? unknown : InferOutput<O>;

/** A tool as an object, for `registerTools`. */
export interface ToolDefinition<I extends AnySchema = AnySchema, O extends AnySchema = AnySchema> {
  readonly config: ToolConfig<I, O>;
  readonly call: HandlerOf<I, O>;
}

/** A tool definition with any argument and result types. */
export interface AnyToolDefinition {
  readonly config: object;
  readonly call: (args: never, ctx: Context) => unknown;
}

/** The `ToolType` that registering a definition adds to the type of the server. */
export type ToolTypeOf<D> =
  D extends ToolDefinition<infer I, infer O> ? ToolType<InferInput<I>, Result<O>> : ToolType<unknown, unknown>;

/** Defines a tool as an object for `registerTools`, so that it can be in a file of its own. */
export function defineTool<const I extends AnySchema = NoArguments, const O extends AnySchema = AnyResult>(
  config: ToolConfig<I, O> & CheckedInput<I>,
  // `NoInfer` halves the compile time of a long chain of tools.
  handler: NoInfer<HandlerOf<I, O>>,
): ToolDefinition<I, O> {
  return { config, call: handler };
}

/** The types of a tool: its arguments from one schema, what it returns from the other. */

import type { ContentBlock } from '../../protocol/model/content.ts';
import type { Icon } from '../../protocol/model/implementation.ts';
import type { Meta } from '../../protocol/model/meta.ts';
import type { CallToolResult, ToolAnnotations } from '../../protocol/model/tools.ts';
import type { CheckedInput } from '../../schema/local/checked-input.ts';
import type { AnySchema, InferInput, InferOutput } from '../../schema/local/infer.ts';
import type { Context } from '../context.ts';
import type { ExtensionResult } from '../extensions/extension-result.ts';
import type { InputRequired } from '../input/input-required.ts';
import type { ErrorDisclosure, Visible } from './registry.ts';

/** Stands for "no input schema": the tool takes no arguments. */
export interface NoArguments {
  readonly type: 'object';
  readonly additionalProperties: false;
}

/** Stands for "no output schema": the tool may return anything. */
export interface AnyResult {
  readonly 'no output schema': true;
}

/** What a tool is, apart from its name and its handler. */
export interface ToolConfig<I extends AnySchema = AnySchema, O extends AnySchema = AnySchema> {
  readonly title?: string;
  /** What the model reads to decide whether to call it. */
  readonly description?: string;
  /** A JSON Schema or a schema of a library; checked before the handler runs. Without it the tool takes no arguments. */
  readonly inputSchema?: I;
  /** The same for the structured result. */
  readonly outputSchema?: O;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
  /** Hides the tool from some callers: absent from their list, unknown when they call it. */
  readonly visible?: Visible;
  /** Who calls it must have been granted all of these, or is told to ask for them. They are not shown in the list. */
  readonly scopes?: readonly string[];
  /**
   * Whether calls become tasks, where the server has the tasks extension: for clients that can have them (`auto`), for all,
   * refusing those that cannot (`required`), or never. Default: `never`. The handler is the same one.
   */
  readonly task?: 'auto' | 'required' | 'never';
  /** A call becomes a task when its handler says so with `ctx.detach()`. Default: before its handler runs. */
  readonly detach?: 'manual';
  /** What the client is told of plain errors of the handler: only a reference, or their messages. Default: the server's `errors`. */
  readonly errors?: ErrorDisclosure;
  /** Takes the place of a tool of the same name. */
  readonly replace?: boolean;
}

/**
 * An object that JSON writes by its members: no array, Map, Set, Promise, generator, function, Response or bytes. An object
 * with `content` is a whole result, or what an output schema describes.
 */
export type PlainObject = object & {
  readonly [Symbol.iterator]?: never;
  readonly [Symbol.asyncIterator]?: never;
  readonly [Symbol.toStringTag]?: never;
  readonly [Symbol.hasInstance]?: never;
  readonly arrayBuffer?: never;
  readonly content?: undefined;
};

/** What a handler without an output schema may return: content, or what becomes content. */
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

/** What a handler may return, beside what its output schema says. */
export type ToolReturn<Out> = CallToolResult | InputRequired | ExtensionResult | Out;

/** Does the work: arguments are checked, errors become results. */
export type ToolHandler<In, Out> = (args: In, ctx: Context) => ToolReturn<Out> | Promise<ToolReturn<Out>>;

/**
 * The handler of a tool with these schemas. The choice is around the whole function: inside its result the compiler
 * would not see the literals of an output schema while it infers, and would widen what the handler returns.
 */
export type HandlerOf<I, O> = [O] extends [AnyResult]
  ? ToolHandler<Arguments<I>, Loose>
  : ToolHandler<Arguments<I>, InferInput<O>>;

/** What a handler gets for an input schema. */
export type Arguments<I> = unknown extends InferOutput<I> ? Readonly<Record<string, unknown>> : InferOutput<I>;

/** A tool as a client's types see it. */
export interface ToolType<In, Out> {
  readonly input: In;
  readonly output: Out;
}

/** What a caller reads for an output schema. */
export type Result<O> = O extends AnyResult ? unknown : InferOutput<O>;

/** A tool as an object, to be registered under a name: its description, its schemas and its call. */
export interface ToolDefinition<I extends AnySchema = AnySchema, O extends AnySchema = AnySchema> {
  readonly config: ToolConfig<I, O>;
  readonly call: HandlerOf<I, O>;
}

/** A tool of unknown types, as records of tools are made of. */
export interface AnyToolDefinition {
  readonly config: object;
  readonly call: (args: never, ctx: Context) => unknown;
}

/** The type a definition adds to its server. */
export type ToolTypeOf<D> =
  D extends ToolDefinition<infer I, infer O> ? ToolType<InferInput<I>, Result<O>> : ToolType<unknown, unknown>;

/** Makes a tool an object, so that it can stand in a file of its own and be registered with `registerTools`. */
export function defineTool<const I extends AnySchema = NoArguments, const O extends AnySchema = AnyResult>(
  config: ToolConfig<I, O> & CheckedInput<I>,
  // Nothing is inferred from the handler; without saying so a chain of tools takes twice the compiler's time.
  handler: NoInfer<HandlerOf<I, O>>,
): ToolDefinition<I, O> {
  return { config, call: handler };
}

/** The types of a tool: its arguments from one schema, what it returns from the other. */

import type { ContentBlock } from '../protocol/model/content.ts';
import type { Icon } from '../protocol/model/implementation.ts';
import type { Meta } from '../protocol/model/meta.ts';
import type { CallToolResult, ToolAnnotations } from '../protocol/model/tools.ts';
import type { AnySchema, InferInput, InferOutput } from '../schema/infer.ts';
import type { Context } from './context.ts';
import type { InputRequired } from './input-required.ts';
import type { Visible } from './registry.ts';

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
  /** Takes the place of a tool of the same name. */
  readonly replace?: boolean;
}

/** An object that is neither an array nor anything else one iterates over. */
export type PlainObject = object & { readonly [Symbol.iterator]?: never };

/** What a handler without an output schema may return beside content. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing is typed void
export type Loose = string | number | boolean | null | undefined | void | PlainObject;

/** What a handler may return. */
export type ToolReturn<Out> = CallToolResult | readonly ContentBlock[] | ContentBlock | InputRequired | Out;

/** Does the work: arguments are checked, errors become results. */
export type ToolHandler<In, Out> = (args: In, ctx: Context) => ToolReturn<Out> | Promise<ToolReturn<Out>>;

/** What a handler gets for an input schema. */
export type Arguments<I> = unknown extends InferOutput<I> ? Readonly<Record<string, unknown>> : InferOutput<I>;

/** What a handler returns for an output schema. */
export type Returns<O> = O extends AnyResult ? Loose : InferInput<O>;

/** A tool as a client's types see it. */
export interface ToolType<In, Out> {
  readonly input: In;
  readonly output: Out;
}

/** The type a tool adds to its server. */
export type ToolTypeOf<I, O> = ToolType<InferInput<I>, O extends AnyResult ? unknown : InferOutput<O>>;

/** A tool as an object, to be registered under a name: its description, its schemas and its call. */
export interface ToolDefinition<I extends AnySchema = AnySchema, O extends AnySchema = AnySchema> {
  readonly config: ToolConfig<I, O>;
  readonly call: ToolHandler<Arguments<I>, Returns<O>>;
}

/** A tool of unknown types, as records of tools are made of. */
export interface AnyToolDefinition {
  readonly config: object;
  readonly call: (args: never, ctx: Context) => unknown;
}

/** The types a record of tools adds to its server. */
export type ToolTypesOf<D> = {
  readonly [K in keyof D]: D[K] extends ToolDefinition<infer I, infer O>
    ? ToolTypeOf<I, O>
    : ToolType<unknown, unknown>;
};

/** Makes a tool an object, so that it can stand in a file of its own and be registered with `registerTools`. */
export function defineTool<const I extends AnySchema = NoArguments, const O extends AnySchema = AnyResult>(
  config: ToolConfig<I, O>,
  handler: ToolHandler<Arguments<I>, Returns<O>>,
): ToolDefinition<I, O> {
  return { config, call: handler };
}

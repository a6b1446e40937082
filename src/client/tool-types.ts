/** Types of a server's tools, for typed calls. */

import type { CallToolResult } from '../protocol/model/tools.ts';
import type { RequestOptions } from './request-options.ts';

/** Tool types of a server: from `typeof server`, or from an interface `{ name: { input, output } }`. */
export type ToolsOf<Server> = Server extends { readonly $tools: infer Tools } ? Tools : Server;

/**
 * Tool types of `Server` if given, and otherwise those in the type of the connected value. Tools that were registered in
 * separate statements are not in the type of a server, so any name can then be called.
 */
export type ToolsAt<Server, Target> = unknown extends Server
  ? Target extends { readonly $tools: infer Tools }
    ? [keyof Tools] extends [never]
      ? unknown
      : Tools
    : unknown
  : ToolsOf<Server>;

/** Names of tools that can be called. */
export type ToolName<Tools> = unknown extends Tools
  ? string
  : [keyof Tools] extends [never]
    ? NoTools
    : keyof Tools & string;

/**
 * Replaces the name if the server's type has no tools. The type has tools that were registered with `registerTools` or in one
 * chain, `new McpServer(...).registerTool(...)`, but not those registered in separate statements.
 */
type NoTools = string & { readonly 'the type of the server has no tools': never };

/**
 * Parameters of `callTool` after the name: arguments, which are optional if none is required, and options. If the name is a
 * union, the arguments must be valid for each of its tools.
 */
export type ToolArguments<Tools, Name> =
  // `infer` hides the conditional type `Given`, so that generic functions with their own `Name` can forward a call.
  Given<ToolOf<Tools, Name>> extends infer Rest extends [args?: unknown, options?: RequestOptions] ? Rest : never;

/** Result of a tool call: typed by the tool's output schema, or an error for the model. Check `isError` first. */
export type ToolCallResult<Output> = unknown extends Output ? CallToolResult : ToolSuccess<Output> | ToolFailure;

/** Result of a tool that succeeded. */
export interface ToolSuccess<Output> extends CallToolResult {
  readonly isError?: false;
  /** Typed by the tool's output schema. */
  readonly structuredContent: Output;
}

/** Result of a tool that failed. `content` tells the model why. */
export interface ToolFailure extends CallToolResult {
  readonly isError: true;
}

/** Type of a tool's `structuredContent`. */
export type OutputOf<Tools, Name> = ToolOf<Tools, Name> extends { readonly output: infer Output } ? Output : unknown;

/** Tools as functions. A connection is assignable to another type if it has that type's tools, with the same arguments. */
export type ToolCalls<Tools> = {
  readonly [Name in keyof Tools]: (args: ArgumentsOf<Tools[Name]>) => OutputOf<Tools, Name>;
};

// The types below take one tool instead of all, because it is slow to pass on the type of a long chain.
type ToolOf<Tools, Name> = Name extends keyof Tools ? Tools[Name] : unknown;

type Given<Tool> =
  {} extends ArgumentsOf<Tool>
    ? [args?: ForEach<Tool>, options?: RequestOptions]
    : [args: ForEach<Tool>, options?: RequestOptions];

type ArgumentsOf<Tool> = Tool extends { readonly input: infer Input } ? Arguments<Input> : AnyArguments;

type ForEach<Tool> = (Tool extends unknown ? (args: ArgumentsOf<Tool>) => void : never) extends (
  args: infer Args,
) => void
  ? Args
  : never;

/** Arguments of unknown type: any object except iterables. `Record` alone would reject interfaces (no index signature). */
type AnyArguments = Readonly<Record<string, unknown>> | (object & { readonly [Symbol.iterator]?: never });

declare const none: unique symbol;

/** Arguments of a tool without parameters: an empty object, which can be omitted. */
interface NoArguments {
  readonly [none]?: never;
}

type Arguments<Input> = unknown extends Input
  ? AnyArguments
  : [Input] extends [Readonly<Record<string, never>>]
    ? NoArguments
    : [object, keyof Input] extends [Input, never]
      ? AnyArguments
      : Sent<Input>;

/**
 * Type of arguments that a caller can pass: arrays can be readonly, and optional members undefined, which JSON omits. Tuples
 * are not converted, because the compiler would not terminate for a type that contains itself in a tuple.
 */
type Sent<T> = unknown extends T
  ? T
  : T extends undefined
    ? undefined
    : T extends string | number | boolean | null
      ? T
      : T extends readonly (infer Item)[]
        ? Item[] extends T
          ? readonly Sent<Item>[]
          : Readonly<T>
        : { [Key in keyof T]: Sent<T[Key]> };

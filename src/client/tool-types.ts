/** The types of a server's tools, as a client that knows the server sees them. */

import type { CallToolResult } from '../protocol/model/tools.ts';
import type { RequestOptions } from './request-options.ts';

/** The tools of a server: of `typeof server`, or of an interface that says `{ name: { input, output } }`. */
export type ToolsOf<Server> = Server extends { readonly $tools: infer Tools } ? Tools : Server;

/**
 * The tools of a server that is given as a type, else those in the type of the value that is connected to. A server whose
 * tools were registered by statements has none of them in its type, so anything can be called there.
 */
export type ToolsAt<Server, Target> = unknown extends Server
  ? Target extends { readonly $tools: infer Tools }
    ? [keyof Tools] extends [never]
      ? unknown
      : Tools
    : unknown
  : ToolsOf<Server>;

/** The names that can be called. */
export type ToolName<Tools> = unknown extends Tools
  ? string
  : [keyof Tools] extends [never]
    ? NoTools
    : keyof Tools & string;

/**
 * Stands for a name where there is none to choose from. A server's type knows its tools if they were registered in one
 * chain, `new McpServer(...).registerTool(...)`, or with `registerTools`; tools registered by statements are not in it.
 */
type NoTools = string & { readonly 'the type of the server has no tools': never };

/**
 * What is given after the name: arguments, which may be left out if none is required, and options. If the name may be
 * one of several, the arguments must be right for each of them.
 */
export type ToolArguments<Tools, Name> =
  // The choice of Given is hidden behind one type, so that functions with a "Name" of their own can pass a call on.
  Given<ToolOf<Tools, Name>> extends infer Rest extends [args?: unknown, options?: RequestOptions] ? Rest : never;

/** What a call gives: what the tool's output schema says, or an error for the model. Look at `isError` first. */
export type ToolCallResult<Output> = unknown extends Output ? CallToolResult : ToolSuccess<Output> | ToolFailure;

/** The result of a tool that did its work. */
export interface ToolSuccess<Output> extends CallToolResult {
  readonly isError?: false;
  /** As the tool's output schema says. */
  readonly structuredContent: Output;
}

/** The result of a tool that failed: its content tells the model why. */
export interface ToolFailure extends CallToolResult {
  readonly isError: true;
}

/** The structured result of a tool. */
export type OutputOf<Tools, Name> = ToolOf<Tools, Name> extends { readonly output: infer Output } ? Output : unknown;

/**
 * The tools as functions. Connections are compared by them: one can stand for another if all that may be called there
 * may be called here, with the same arguments.
 */
export type ToolCalls<Tools> = {
  readonly [Name in keyof Tools]: (args: ArgumentsOf<Tools[Name]>) => OutputOf<Tools, Name>;
};

// All that follows is about one tool and no longer about all of them: the type of a long chain is costly to hand on.
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

/**
 * Arguments of a tool of which nothing is known. Any object will do, also one whose type is an interface and so has no
 * index signature, but not an array or another thing one iterates over.
 */
type AnyArguments = Readonly<Record<string, unknown>> | (object & { readonly [Symbol.iterator]?: never });

declare const none: unique symbol;

/** Arguments of a tool that takes none: an object that may be left out, and in which nothing can be written. */
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
 * What may be sent as a type: arrays may be readonly, since nothing is changed, and JSON leaves `undefined` out. Within
 * tuples nothing is made readonly: the compiler would not come to an end where a type has itself in a tuple.
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

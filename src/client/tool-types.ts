/** The types of a server's tools, as a client that knows the server sees them. */

import type { CallToolResult } from '../protocol/model/tools.ts';
import type { RequestOptions } from './options.ts';

/** The tools of a server: of `typeof server`, or of an interface that says `{ name: { input, output } }`. */
export type ToolsOf<Server> = Server extends { readonly $tools: infer Tools } ? Tools : Server;

/** The names that can be called. */
export type ToolName<Tools> = unknown extends Tools ? string : keyof Tools & string;

/** What is given after the name: arguments where there are any, and options. */
export type ToolArguments<Tools, Name> = unknown extends Tools
  ? [args?: Readonly<Record<string, unknown>>, options?: RequestOptions]
  : Name extends keyof Tools
    ? Tools[Name] extends { readonly input: infer Input }
      ? unknown extends Input
        ? [args?: Readonly<Record<string, unknown>>, options?: RequestOptions]
        : {} extends Input
          ? [args?: Input, options?: RequestOptions]
          : [args: Input, options?: RequestOptions]
      : never
    : never;

/** What a call gives: what the tool's output schema says, or an error for the model. Look at `isError` first. */
export type ToolCallResult<Output> = unknown extends Output
  ? CallToolResult
  :
      | (CallToolResult & { readonly isError?: false; readonly structuredContent: Output })
      | (CallToolResult & { readonly isError: true });

/** The structured result of a tool. */
export type OutputOf<Tools, Name> = Name extends keyof Tools
  ? Tools[Name] extends { readonly output: infer Output }
    ? Output
    : unknown
  : unknown;

/** The calls a client makes, each under its own name. */

import type { CompleteResult, CompletionReference } from '../protocol/model/completion.ts';
import type { GetPromptResult, Prompt } from '../protocol/model/prompts.ts';
import type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/model/resources.ts';
import type { CallToolResult, Tool } from '../protocol/model/tools.ts';
import type { Connection, RequestOptions } from './connection.ts';

/** One page of a list. */
export type ListResult<K extends string, Item> = { readonly [P in K]: readonly Item[] } & {
  readonly nextCursor?: string;
};

/** A connection with the protocol's methods as its own. */
export class Calls {
  /** The layer below: any method, any params. */
  readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** One page of the tools. */
  async listTools(cursor?: string, options?: RequestOptions): Promise<ListResult<'tools', Tool>> {
    return (await this.#list('tools/list', cursor, options)) as never;
  }

  /** Calls a tool. A tool that failed gives a result with `isError`. */
  async callTool(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): Promise<CallToolResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return (await this.connection.request('tools/call', params, options)) as never;
  }

  /** One page of the resources. */
  async listResources(cursor?: string, options?: RequestOptions): Promise<ListResult<'resources', Resource>> {
    return (await this.#list('resources/list', cursor, options)) as never;
  }

  /** One page of the resource templates. */
  async listResourceTemplates(
    cursor?: string,
    options?: RequestOptions,
  ): Promise<ListResult<'resourceTemplates', ResourceTemplate>> {
    return (await this.#list('resources/templates/list', cursor, options)) as never;
  }

  /** Reads a resource. */
  async readResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult> {
    return (await this.connection.request('resources/read', { uri }, options)) as never;
  }

  /** One page of the prompts. */
  async listPrompts(cursor?: string, options?: RequestOptions): Promise<ListResult<'prompts', Prompt>> {
    return (await this.#list('prompts/list', cursor, options)) as never;
  }

  /** Gets a prompt's messages. */
  async getPrompt(
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: RequestOptions,
  ): Promise<GetPromptResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return (await this.connection.request('prompts/get', params, options)) as never;
  }

  /** Suggests values for an argument of a prompt or a variable of a template. */
  async complete(
    ref: CompletionReference,
    argument: { readonly name: string; readonly value: string },
    others?: Readonly<Record<string, string>>,
  ): Promise<CompleteResult> {
    const context = others ? { context: { arguments: others } } : {};
    return (await this.connection.request('completion/complete', { ref, argument, ...context })) as never;
  }

  /** Ends the connection; calls that wait are rejected. */
  close(): Promise<void> {
    return this.connection.close();
  }

  #list(method: string, cursor: string | undefined, options?: RequestOptions): Promise<object> {
    return this.connection.request(method, cursor === undefined ? {} : { cursor }, options);
  }
}

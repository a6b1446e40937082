/** A connection to a server, with the protocol's methods under their own names. */

import type { Params } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from '../protocol/model/capabilities.ts';
import type { CompleteResult, CompletionReference } from '../protocol/model/completion.ts';
import type { Implementation } from '../protocol/model/implementation.ts';
import type { GetPromptResult, Prompt } from '../protocol/model/prompts.ts';
import type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/model/resources.ts';
import type { CallToolResult, Tool } from '../protocol/model/tools.ts';
import type { Conversation, RequestOptions } from './conversation.ts';

/** One page of a list. */
export type ListResult<K extends string, Item> = { readonly [P in K]: readonly Item[] } & {
  readonly nextCursor?: string;
};

/** One server, as its client sees it. */
export class Connection {
  readonly #conversation: Conversation;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** The protocol revision spoken. */
  get revision(): string {
    return this.#conversation.revision;
  }

  /** What the server can do, as it said when the session was opened. */
  get serverCapabilities(): ServerCapabilities {
    return this.#conversation.serverCapabilities;
  }

  /** What the server says of itself, likewise. */
  get serverInfo(): Implementation | undefined {
    return this.#conversation.serverInfo;
  }

  /** How to use the server, for the model, likewise. */
  get instructions(): string | undefined {
    return this.#conversation.instructions;
  }

  /** The layer below: calls any method and gives its result. */
  request(method: string, params?: Params, options?: RequestOptions): Promise<Record<string, unknown>> {
    return this.#conversation.request(method, params, options);
  }

  /** Sends any notification. */
  notify(method: string, params?: Params): void {
    this.#conversation.notify(method, params);
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
    return (await this.request('tools/call', params, options)) as never;
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
    return (await this.request('resources/read', { uri }, options)) as never;
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
    return (await this.request('prompts/get', params, options)) as never;
  }

  /** Suggests values for an argument of a prompt or a variable of a template. */
  async complete(
    ref: CompletionReference,
    argument: { readonly name: string; readonly value: string },
    others?: Readonly<Record<string, string>>,
  ): Promise<CompleteResult> {
    const context = others ? { context: { arguments: others } } : {};
    return (await this.request('completion/complete', { ref, argument, ...context })) as never;
  }

  /** Ends the connection; calls that wait are rejected. */
  close(): Promise<void> {
    return this.#conversation.close();
  }

  #list(method: string, cursor: string | undefined, options?: RequestOptions): Promise<object> {
    return this.request(method, cursor === undefined ? {} : { cursor }, options);
  }
}

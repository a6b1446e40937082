/// <reference lib="esnext.disposable" preserve="true" />
/** `Connection`: one method for each client request of the protocol. */

import type { Params } from '../jsonrpc/message.ts';
import { DEFAULT_MAXIMUM } from '../jsonrpc/timeout-options.ts';
import type { ServerCapabilities } from '../protocol/model/capabilities.ts';
import type { CompleteResult, CompletionReference } from '../protocol/model/completion.ts';
import type { Implementation } from '../protocol/model/implementation.ts';
import type { InputRequest, InputResponse } from '../protocol/model/input-requests.ts';
import type { LoggingLevel } from '../protocol/model/logging.ts';
import type { GetPromptResult, Prompt } from '../protocol/model/prompts.ts';
import type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/model/resources.ts';
import type { Root } from '../protocol/model/roots.ts';
import type { Tool } from '../protocol/model/tools.ts';
import type { ListKind } from '../protocol/revision.ts';
import type { Core } from './core.ts';
import type { ExtensionConnection, RawResult, Subscription } from './extension.ts';
import { allItems, itemsOf, type Page, type PagesOptions, pageOf, pagesOptions } from './pages.ts';
import type { RequestOptions } from './request-options.ts';
import type { CallState, PendingCall } from './rounds.ts';
import type { ServerProfile } from './server-profile.ts';
import type { ConnectionState, StateListener } from './state.ts';
import type { OutputOf, ToolArguments, ToolCallResult, ToolCalls, ToolName } from './tool-types.ts';
import type { WatchListener } from './watching.ts';

/** A connection to one server, which reconnects if possible. `Tools` has the types of the server's tools, if known. */
export class Connection<Tools = unknown> implements ExtensionConnection {
  /** Types of the tools. Exists only at compile time. */
  declare readonly '~tools': ToolCalls<Tools>;
  readonly #core: Core;

  /** Internal: use `connect`. */
  constructor(core: Core) {
    this.#core = core;
  }

  /** Current state of the connection. */
  get state(): ConnectionState {
    return this.#core.link.state.get();
  }

  /** Calls the listener on each change of `state`, until the returned function is called. */
  onState(listener: StateListener): () => void {
    return this.#core.link.state.subscribe(listener);
  }

  /** The negotiated protocol revision. */
  get revision(): string {
    return this.#core.profile.revision;
  }

  /** Revision, info and capabilities of the server, as JSON. A later connection accepts it as the option `profile`. */
  get profile(): ServerProfile {
    return this.#core.profile;
  }

  /** Capabilities that the server declared. */
  get serverCapabilities(): ServerCapabilities {
    return this.#core.profile.capabilities;
  }

  /** Name and version that the server declared. Unverified: for display only. */
  get serverInfo(): Implementation | undefined {
    return this.#core.profile.serverInfo;
  }

  /** Instructions of the server for the model. */
  get instructions(): string | undefined {
    return this.#core.profile.instructions;
  }

  /** Calls any method and returns the result. Input requests are passed to the handlers of this connection. */
  request(method: string, params?: Params, options?: RequestOptions): Promise<Record<string, unknown>> {
    return this.#core.calls.request(method, params, options);
  }

  /** Like `request`, but returns the result with its `resultType`. A result of an extension's type is returned unresolved. */
  requestRaw(method: string, params?: Params, options?: RequestOptions): Promise<RawResult> {
    return this.#core.peer.requestRaw(method, params, options);
  }

  /** Decodes and validates a result of `method` that did not arrive as its response, for instance the result of a task. */
  accept(method: string, params: Params, result: unknown): Promise<Record<string, unknown>> {
    return this.#core.peer.accept(method, params, result);
  }

  /** Passes an input request to the handlers of this connection and returns their response. */
  respondToInput(
    question: InputRequest,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<InputResponse> {
    return this.#core.peer.respondToInput(question, options);
  }

  /**
   * Opens a separate `subscriptions/listen` for notifications of extensions; for changes use `watch`. Resolves when the server
   * has acknowledged the subscription. Rejects in revisions before 2026-07-28.
   */
  listen(
    notifications: Readonly<Record<string, unknown>>,
    listener: (method: string, params: Params) => void,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Subscription> {
    return this.#core.peer.listen(notifications, listener, options);
  }

  /** Sends a notification. Failures go to `onError`; during a reconnect the notification is dropped. */
  notify(method: string, params?: Params): void {
    this.#core.notify(method, params);
  }

  /** Calls a method. Returns input requests to the caller instead of passing them to handlers; `resume` continues the call. */
  start(method: string, params?: Params, options?: RequestOptions): Promise<CallState> {
    return this.#core.calls.start(method, params, options);
  }

  /** Continues a pending call of `start` or `resume` with the input responses, also in another process. */
  resume(
    pending: PendingCall,
    answers: Readonly<Record<string, InputResponse>>,
    options?: RequestOptions,
  ): Promise<CallState> {
    return this.#core.calls.resume(pending, answers, options);
  }

  /** Calls a tool. If the tool fails, the promise resolves to a result with `isError: true`. */
  callTool<Name extends ToolName<Tools>>(
    name: Name,
    ...[args, options]: ToolArguments<Tools, Name>
  ): Promise<ToolCallResult<OutputOf<Tools, Name>>> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return this.request('tools/call', params, options) as never;
  }

  /** Iterates over the tools. Fetches each page when it is needed. */
  tools(options?: RequestOptions): AsyncGenerator<Tool, void, undefined> {
    return this.#items('tools/list', 'tools', options);
  }

  /** Returns all tools, from all pages. */
  async listTools(options?: RequestOptions): Promise<{ readonly tools: readonly Tool[] }> {
    return { tools: await this.#all<Tool>('tools/list', 'tools', options) };
  }

  /** Iterates over the resources. Fetches each page when it is needed. */
  resources(options?: RequestOptions): AsyncGenerator<Resource, void, undefined> {
    return this.#items('resources/list', 'resources', options);
  }

  /** Returns all resources, from all pages. */
  async listResources(options?: RequestOptions): Promise<{ readonly resources: readonly Resource[] }> {
    return { resources: await this.#all<Resource>('resources/list', 'resources', options) };
  }

  /** Iterates over the resource templates. Fetches each page when it is needed. */
  resourceTemplates(options?: RequestOptions): AsyncGenerator<ResourceTemplate, void, undefined> {
    return this.#items('resources/templates/list', 'resourceTemplates', options);
  }

  /** Returns all resource templates, from all pages. */
  async listResourceTemplates(
    options?: RequestOptions,
  ): Promise<{ readonly resourceTemplates: readonly ResourceTemplate[] }> {
    return {
      resourceTemplates: await this.#all<ResourceTemplate>('resources/templates/list', 'resourceTemplates', options),
    };
  }

  /** Returns the contents of a resource. */
  async readResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult> {
    return (await this.request('resources/read', { uri }, options)) as never;
  }

  /** Iterates over the prompts. Fetches each page when it is needed. */
  prompts(options?: RequestOptions): AsyncGenerator<Prompt, void, undefined> {
    return this.#items('prompts/list', 'prompts', options);
  }

  /** Returns all prompts, from all pages. */
  async listPrompts(options?: RequestOptions): Promise<{ readonly prompts: readonly Prompt[] }> {
    return { prompts: await this.#all<Prompt>('prompts/list', 'prompts', options) };
  }

  /** Returns the messages of a prompt, rendered with `args`. */
  async getPrompt(
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: RequestOptions,
  ): Promise<GetPromptResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return (await this.request('prompts/get', params, options)) as never;
  }

  /** Returns suggestions for an argument of a prompt or resource template. `others` has the values of its other arguments. */
  async complete(
    ref: CompletionReference,
    argument: { readonly name: string; readonly value: string },
    others?: Readonly<Record<string, string>>,
    options?: RequestOptions,
  ): Promise<CompleteResult> {
    const context = others && this.#core.facts.completionContext ? { context: { arguments: others } } : {};
    return (await this.request('completion/complete', { ref, argument, ...context }, options)) as never;
  }

  /**
   * Calls the listener on changes of a list (`tools`, `prompts`, `resources`), or of the resource with this URI and the
   * resources below it. After a reconnect the listener gets an event with `resync: true`. The returned function ends the watch.
   */
  watch(
    what: 'tools' | 'prompts' | 'resources' | (string & {}),
    listener: WatchListener,
  ): Promise<() => Promise<void>> {
    return this.#core.watch(what, listener);
  }

  /** Resolves if the server responds to `ping`, or to `server/discover` in revisions without `ping`. */
  async ping(options?: RequestOptions): Promise<void> {
    await this.#core.ping(options);
  }

  /** Sets the minimum log level. Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on. */
  setLogLevel(level: LoggingLevel): Promise<void> {
    return this.#core.setLogLevel(level);
  }

  /**
   * Replaces the roots and notifies the server. Throws a TypeError if the capability `roots` was not declared on connect.
   * Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on.
   */
  setRoots(roots: readonly Root[]): void {
    this.#core.setRoots(roots);
  }

  /** Returns the digest of each received tool definition, by tool name. A later connection accepts them as `pinnedTools`. */
  toolDigests(): Promise<Readonly<Record<string, string>>> {
    return this.#core.book.digests();
  }

  /** Closes the connection. Pending calls reject, and a server process that was started for the connection is ended. */
  close(): Promise<void> {
    return this.#core.close();
  }

  /** Calls `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #items<Item>(method: string, kind: ListKind, options: RequestOptions | undefined): AsyncGenerator<Item> {
    return itemsOf<Item>(method, (cursor) => this.#page(method, kind, cursor, options), this.#paging(method));
  }

  #all<Item>(method: string, kind: ListKind, options: RequestOptions | undefined): Promise<readonly Item[]> {
    // `maxTimeout` limits the whole list, not each page.
    const { maxTimeout = this.#core.options.maxTimeout ?? DEFAULT_MAXIMUM } = options ?? {};
    const deadline = Date.now() + maxTimeout;
    const fetchPage = (cursor: string | undefined): Promise<Page<Item>> =>
      this.#page(method, kind, cursor, { ...options, maxTimeout: Math.max(deadline - Date.now(), 0) });
    return allItems<Item>(method, fetchPage, this.#paging(method));
  }

  #paging(method: string): PagesOptions {
    return { ...pagesOptions(this.#core.options), restart: () => this.#core.calls.cache.forget(method) };
  }

  async #page<Item>(
    method: string,
    kind: ListKind,
    cursor: string | undefined,
    options: RequestOptions | undefined,
  ): Promise<Page<Item>> {
    const params = cursor === undefined ? {} : { cursor };
    return pageOf<Item>(method, kind, await this.request(method, params, options));
  }
}

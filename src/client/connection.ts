/// <reference lib="esnext.disposable" preserve="true" />
/** A connection to a server, with the protocol's methods under their own names. */

import type { Params } from '../jsonrpc/message.ts';
import { DEFAULT_MAXIMUM } from '../jsonrpc/request-timeouts.ts';
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

/** One server, as its client sees it. `Tools` are the types of its tools, if they are known. */
export class Connection<Tools = unknown> implements ExtensionConnection {
  /** The types of the tools, for the compiler; there is no value behind it. */
  declare readonly '~tools': ToolCalls<Tools>;
  readonly #core: Core;

  /** For this package: `connect` makes connections. */
  constructor(core: Core) {
    this.#core = core;
  }

  /** What the connection is doing. */
  get state(): ConnectionState {
    return this.#core.link.state.get();
  }

  /** Tells every change of `state`, until the returned function is called. */
  onState(listener: StateListener): () => void {
    return this.#core.link.state.subscribe(listener);
  }

  /** The protocol revision spoken. */
  get revision(): string {
    return this.#core.profile.revision;
  }

  /** The profile of the server: its revision, info and capabilities. It is JSON, for the option `profile` of a later connection. */
  get profile(): ServerProfile {
    return this.#core.profile;
  }

  /** What the server can do. */
  get serverCapabilities(): ServerCapabilities {
    return this.#core.profile.capabilities;
  }

  /** What the server says of itself: to be shown, not to be trusted. */
  get serverInfo(): Implementation | undefined {
    return this.#core.profile.serverInfo;
  }

  /** How to use the server, for the model. */
  get instructions(): string | undefined {
    return this.#core.profile.instructions;
  }

  /** The layer below: calls any method and gives its result. */
  request(method: string, params?: Params, options?: RequestOptions): Promise<Record<string, unknown>> {
    return this.#core.calls.request(method, params, options);
  }

  /**
   * Calls any method and gives its result with its type: `complete`, or one that an installed extension adds, which is
   * given as it came. Questions are answered on the way.
   */
  requestRaw(method: string, params?: Params, options?: RequestOptions): Promise<RawResult> {
    return this.#core.peer.requestRaw(method, params, options);
  }

  /** Reads and checks what is the result of a call, but came another way. */
  accept(method: string, params: Params, result: unknown): Promise<Record<string, unknown>> {
    return this.#core.peer.accept(method, params, result);
  }

  /** Answers a question of the server's, wherever it stood, by the handlers of this connection. */
  respondToInput(
    question: InputRequest,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<InputResponse> {
    return this.#core.peer.respondToInput(question, options);
  }

  /**
   * Opens a `subscriptions/listen` of its own, for what extensions tell of; changes are heard of by `watch`. Resolves when
   * the server has acknowledged it. Only revisions from 2026-07-28 on have it.
   */
  listen(
    notifications: Readonly<Record<string, unknown>>,
    listener: (method: string, params: Params) => void,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Subscription> {
    return this.#core.peer.listen(notifications, listener, options);
  }

  /** Sends any notification. */
  notify(method: string, params?: Params): void {
    this.#core.notify(method, params);
  }

  /** Calls a method and stops where the server asks something, for callers who answer in their own time. */
  start(method: string, params?: Params, options?: RequestOptions): Promise<CallState> {
    return this.#core.calls.start(method, params, options);
  }

  /** Goes on with a call that `start` or `resume` left waiting, here or in another process. */
  resume(
    pending: PendingCall,
    answers: Readonly<Record<string, InputResponse>>,
    options?: RequestOptions,
  ): Promise<CallState> {
    return this.#core.calls.resume(pending, answers, options);
  }

  /** Calls a tool. A tool that failed gives a result with `isError`. */
  callTool<Name extends ToolName<Tools>>(
    name: Name,
    ...[args, options]: ToolArguments<Tools, Name>
  ): Promise<ToolCallResult<OutputOf<Tools, Name>>> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return this.request('tools/call', params, options) as never;
  }

  /** The tools, page by page as they are needed. */
  tools(options?: RequestOptions): AsyncGenerator<Tool, void, undefined> {
    return this.#items('tools/list', 'tools', options);
  }

  /** All tools. */
  async listTools(options?: RequestOptions): Promise<{ readonly tools: readonly Tool[] }> {
    return { tools: await this.#all<Tool>('tools/list', 'tools', options) };
  }

  /** The resources, page by page as they are needed. */
  resources(options?: RequestOptions): AsyncGenerator<Resource, void, undefined> {
    return this.#items('resources/list', 'resources', options);
  }

  /** All resources. */
  async listResources(options?: RequestOptions): Promise<{ readonly resources: readonly Resource[] }> {
    return { resources: await this.#all<Resource>('resources/list', 'resources', options) };
  }

  /** The resource templates, page by page as they are needed. */
  resourceTemplates(options?: RequestOptions): AsyncGenerator<ResourceTemplate, void, undefined> {
    return this.#items('resources/templates/list', 'resourceTemplates', options);
  }

  /** All resource templates. */
  async listResourceTemplates(
    options?: RequestOptions,
  ): Promise<{ readonly resourceTemplates: readonly ResourceTemplate[] }> {
    return {
      resourceTemplates: await this.#all<ResourceTemplate>('resources/templates/list', 'resourceTemplates', options),
    };
  }

  /** Reads a resource. */
  async readResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult> {
    return (await this.request('resources/read', { uri }, options)) as never;
  }

  /** The prompts, page by page as they are needed. */
  prompts(options?: RequestOptions): AsyncGenerator<Prompt, void, undefined> {
    return this.#items('prompts/list', 'prompts', options);
  }

  /** All prompts. */
  async listPrompts(options?: RequestOptions): Promise<{ readonly prompts: readonly Prompt[] }> {
    return { prompts: await this.#all<Prompt>('prompts/list', 'prompts', options) };
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

  /** Suggests values for an argument of a prompt or a variable of a template; `others` are filled in already. */
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
   * Tells changes: of the list of `tools`, `prompts` or `resources`, or of the resource with this URI and those within
   * it. After a reconnect the listener is told to read everything again. The returned function ends it.
   */
  watch(
    what: 'tools' | 'prompts' | 'resources' | (string & {}),
    listener: WatchListener,
  ): Promise<() => Promise<void>> {
    return this.#core.watch(what, listener);
  }

  /** Resolves if the server is alive: by `ping`, or where there is none by `server/discover`. */
  async ping(options?: RequestOptions): Promise<void> {
    await this.#core.ping(options);
  }

  /**
   * Chooses the least severe log message wanted from now on.
   * Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on.
   */
  setLogLevel(level: LoggingLevel): Promise<void> {
    return this.#core.setLogLevel(level);
  }

  /**
   * Changes the folders the server may look at, and tells it. Only if `roots` or `onListRoots` was given when the
   * connection was made: what a client can do is declared once.
   * Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on.
   */
  setRoots(roots: readonly Root[]): void {
    this.#core.setRoots(roots);
  }

  /** A digest of each tool's definition that was seen, for the option `pinnedTools` of a later connection. */
  toolDigests(): Promise<Readonly<Record<string, string>>> {
    return this.#core.book.digests();
  }

  /** Ends the connection; calls that wait are rejected, a server that was started for it ends. */
  close(): Promise<void> {
    return this.#core.close();
  }

  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #items<Item>(method: string, kind: ListKind, options: RequestOptions | undefined): AsyncGenerator<Item> {
    return itemsOf<Item>(method, (cursor) => this.#page(method, kind, cursor, options), this.#paging(method));
  }

  #all<Item>(method: string, kind: ListKind, options: RequestOptions | undefined): Promise<readonly Item[]> {
    // The maximum is for the whole list, however many pages it has.
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

/** What is offered: tools, prompts, resources. Registered once, served to any number of clients of any revision. */

import type { MaybePromise } from '../jsonrpc/maybe-promise.ts';
import { memoryPair } from '../jsonrpc/memory-transport.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { ServerCapabilities } from '../protocol/model/capabilities.ts';
import type { Implementation } from '../protocol/model/implementation.ts';
import { isLoggingLevel, LOGGING_LEVELS, type LoggingLevel } from '../protocol/model/logging.ts';
import { checkShape, isImplementation } from '../protocol/params.ts';
import type { CacheHints, ServerInfo } from '../protocol/revision.ts';
import { engineLoading } from '../schema/check/engine-loader.ts';
import type { CheckedInput } from '../schema/local/checked-input.ts';
import type { AnySchema, InferInput } from '../schema/local/infer.ts';
import { memoryChangeBus } from '../store/change-bus.ts';
import { canObserve } from './authorization/scopes.ts';
import { serveConnection } from './connection/connection.ts';
import type { ServeOptions } from './connection/served-connection.ts';
import type { Context } from './context.ts';
import { Extensions } from './extensions/extensions.ts';
import { type CanObserve, ChangePublisher } from './features/change-notifications.ts';
import { complete } from './features/completion.ts';
import { getPrompt, type PromptConfig, type PromptEntry, type PromptHandler, promptEntry } from './features/prompts.ts';
import { type Features, Registry } from './features/registry.ts';
import {
  listWithTemplates,
  type ResourceConfig,
  type ResourceEntry,
  type ResourceHandler,
  type ResourceTemplateConfig,
  type ResourceTemplateHandler,
  readResource,
  resolveResource,
  resourceEntry,
  type TemplateEntry,
  templateEntry,
  type VariablesOf,
} from './features/resources.ts';
import type {
  AnyResult,
  AnyToolDefinition,
  HandlerOf,
  NoArguments,
  Result,
  ToolConfig,
  ToolHandler,
  ToolType,
  ToolTypeOf,
} from './features/tool-types.ts';
import { callTool, type ToolEntry, toolEntry } from './features/tools.ts';
import { secretsOf } from './input/request-state.ts';
import type { ServerInternals } from './internals.ts';
import { limitsOf } from './limits/limits.ts';
import { usageOf } from './limits/usage.ts';
import type { Middleware, ParamsOf } from './middleware.ts';
import { checkServerOptions, type McpServerOptions, mergeCapabilities, reporter, servedVersions } from './options.ts';
import type { RequestContext } from './request-context.ts';

type Handler = (ctx: RequestContext) => unknown;
type Lists = Registry<ToolEntry | PromptEntry | ResourceEntry | TemplateEntry>;

const NOT_CACHED: CacheHints = { ttlMs: 0, cacheScope: 'private' };

/** An MCP server. `Tools` collects the types of its tools, for `connect<typeof server>()`. */
export class McpServer<out Tools = {}> {
  /** The types of the tools; there is no value behind it. */
  declare readonly $tools: Tools;
  readonly info: Implementation;
  readonly #options: McpServerOptions;
  readonly #extensions: Extensions;
  readonly #changes: ChangePublisher;
  readonly #tools: Registry<ToolEntry>;
  readonly #prompts: Registry<PromptEntry>;
  readonly #resources: Registry<ResourceEntry>;
  readonly #templates: Registry<TemplateEntry>;
  readonly #handlers = new Map<string, Handler>();
  readonly #middleware: Middleware[] = [];
  readonly #internals: ServerInternals;
  #requiresScopes = false;
  #listsTemplates = false;
  #derived: ServerCapabilities;
  #capabilities: ServerCapabilities | undefined;

  constructor(info: Implementation, options: McpServerOptions = {}) {
    if (!isImplementation(info)) throw new TypeError('McpServer needs a name and a version');
    checkServerOptions(options);
    this.info = info;
    this.#options = options;
    this.#extensions = new Extensions(options.extensions);
    for (const [method, handler] of this.#extensions.handlers) this.#handlers.set(method, handler);
    this.#derived = { logging: {} };
    const failed = (method: string) => (error: unknown) => this.#internals.report(error, { method });
    const changed = (type: 'tools' | 'prompts' | 'resources') => () => {
      this.#checkScoped();
      this.#changes.publish({ type });
    };
    this.#changes = new ChangePublisher(options.changes ?? memoryChangeBus(), failed('changes'));
    this.#tools = new Registry('tools', 'Tool', changed('tools'), failed('visible'));
    this.#prompts = new Registry('prompts', 'Prompt', changed('prompts'), failed('visible'));
    this.#resources = new Registry('resources', 'Resource', changed('resources'), failed('visible'));
    this.#templates = new Registry('resourceTemplates', 'Resource template', changed('resources'), failed('visible'));
    this.#internals = this.#makeInternals(info, options);
    this.#offerDeclared(options.capabilities);
    for (const { server } of options.extensions ?? []) server?.register?.(this);
  }

  /** For this package, not for its users. */
  get '~internals'(): ServerInternals {
    return this.#internals;
  }

  /** Registers a tool. The arguments are checked against the schema before the handler runs. */
  registerTool<const N extends string, const I extends AnySchema = NoArguments, const O extends AnySchema = AnyResult>(
    name: N,
    config: ToolConfig<I, O> & CheckedInput<I>,
    handler: NoInfer<HandlerOf<I, O>>,
  ): McpServer<Tools & { readonly [K in N]: ToolType<InferInput<I>, Result<O>> }> {
    const entry = toolEntry(name, config, handler as ToolHandler<never, unknown>, this.#extensions);
    this.#tools.add(entry, config.replace === true);
    this.#offerTools();
    return this as unknown as McpServer<never>;
  }

  /** Registers tools made with `defineTool`, by name. Better than a long chain from about a hundred tools on. */
  registerTools<const D extends Readonly<Record<string, AnyToolDefinition>>>(
    definitions: D,
  ): McpServer<Tools & { readonly [K in keyof D]: ToolTypeOf<D[K]> }> {
    for (const [name, { config, call }] of Object.entries(definitions)) {
      this.registerTool(name, config as ToolConfig, call as ToolHandler<unknown, unknown>);
    }
    return this as unknown as McpServer<never>;
  }

  /** Registers a resource. `config` may be just its MIME type. */
  registerResource(uri: string, config: ResourceConfig | string, handler: ResourceHandler): this {
    const entry = resourceEntry(uri, config, handler);
    this.#resources.add(entry, typeof config === 'object' && config.replace === true);
    this.#offerResources();
    return this;
  }

  /** Registers a family of resources, named by an RFC 6570 URI template. */
  registerResourceTemplate<const T extends string>(
    uriTemplate: T,
    config: ResourceTemplateConfig | string,
    handler: ResourceTemplateHandler<VariablesOf<T>>,
  ): this {
    const entry = templateEntry(uriTemplate, config, handler as unknown as ResourceTemplateHandler);
    this.#templates.add(entry, typeof config === 'object' && config.replace === true);
    if (entry.complete) this.#offerCompletions();
    this.#listsTemplates ||= entry.list !== undefined;
    this.#offerResources();
    return this;
  }

  /** Registers a prompt. */
  registerPrompt<const S extends AnySchema = NoArguments>(
    name: string,
    config: PromptConfig<S> & CheckedInput<S, 'argsSchema'>,
    handler: PromptHandler<S>,
  ): this {
    const entry = promptEntry(name, config, handler);
    this.#prompts.add(entry, config.replace === true);
    if (entry.complete) this.#offerCompletions();
    this.#offerPrompts();
    return this;
  }

  /** The tools, to switch them off and on or take them away. */
  get tools(): Features {
    return this.#tools;
  }

  /** The prompts, likewise. */
  get prompts(): Features {
    return this.#prompts;
  }

  /** The resources, likewise, by URI. */
  get resources(): Features {
    return this.#resources;
  }

  /** The resource templates, likewise, by template. */
  get resourceTemplates(): Features {
    return this.#templates;
  }

  /** Tells everybody who subscribed to it that a resource has changed. */
  resourceUpdated(uri: string): void {
    this.#changes.publish({ type: 'resource', uri });
  }

  /**
   * Sends a log message that belongs to no request to every client that wants messages of this level. Only revisions up to
   * 2025-11-25 have such messages; within a request use `ctx.log`. `data` is any JSON value; `logger` names its source.
   * Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on. Log to stderr, or use OpenTelemetry.
   */
  log(level: LoggingLevel, data: unknown, logger?: string): void {
    if (!isLoggingLevel(level)) throw new TypeError(`log: the level must be one of ${LOGGING_LEVELS.join(', ')}`);
    const message = { level, data: data === undefined ? null : data };
    this.#changes.publish({ type: 'log', message: logger === undefined ? message : { ...message, logger } });
  }

  /** Puts a function around every request and notification. The first one is the outermost. */
  use(middleware: Middleware): this {
    if (typeof middleware !== 'function') throw new TypeError('use needs a function, (ctx, next) => next()');
    this.#middleware.push(middleware);
    return this;
  }

  /**
   * Answers a method of one's own, or one of the protocol's in place of the registered features. A method whose name
   * begins with `notifications/` is a notification.
   */
  setHandler<const M extends string>(method: M, handler: (params: ParamsOf<M>, ctx: Context) => unknown): this {
    if (typeof handler !== 'function') throw new TypeError(`setHandler: the handler of "${method}" must be a function`);
    this.#handlers.set(method, (ctx) => {
      checkShape(method, ctx.params);
      return handler(ctx.params as ParamsOf<M>, ctx);
    });
    return this;
  }

  /** The client's end of a new connection to this server, within this process. */
  async connectInProcess(options: ServeOptions = {}): Promise<Transport> {
    const { principal, ownsProcess = true, forceReruns = false } = options;
    await engineLoading();
    const [near, far] = memoryPair();
    await serveConnection(this.#internals, far, { principal, trusted: ownsProcess && !principal, forceReruns });
    return near;
  }

  #makeInternals(info: Implementation, options: McpServerOptions): ServerInternals {
    const server = this;
    const [tools, prompts, resources, templates] = [this.#tools, this.#prompts, this.#resources, this.#templates];
    const limits = limitsOf(options.limits);
    const maySee: CanObserve = (change, observer) =>
      change.type !== 'resource' || canObserve(internals, change.uri, observer);
    const host: ServerInfo = {
      info,
      instructions: options.instructions,
      versions: servedVersions(options.revisions),
      cache: { ...NOT_CACHED, ...options.cache },
      get capabilities() {
        server.#capabilities ??= mergeCapabilities(server.#derived, options);
        return server.#capabilities;
      },
      declaredIn: (version, principal) => server.#extensions.declaredIn(version, principal, host.capabilities),
      subscriptions: server.#extensions.subscriptions,
      watch: (listener, observer, subscribed) => server.#changes.watch(listener, observer, maySee, subscribed),
    };
    const internals: ServerInternals = {
      host,
      limits,
      usage: usageOf(limits),
      secrets: secretsOf(options.keys ?? []),
      middleware: this.#middleware,
      extensions: this.#extensions,
      registries: { tools, prompts, resources, templates },
      get requiresScopes() {
        return server.#requiresScopes;
      },
      handler: (method) => (method.startsWith('notifications/') ? undefined : this.#handlers.get(method)),
      notificationHandler: (method) => (method.startsWith('notifications/') ? this.#handlers.get(method) : undefined),
      resourceAt: (uri, viewer) => resolveResource(resources, templates, uri, viewer)?.entry,
      toolsFor: (viewer) => [...tools.entries(viewer)].map(({ definition }) => definition),
      errors: options.errors ?? 'hidden',
      report: reporter(options.onError),
    };
    return internals;
  }

  // Servers whose entries require no scopes do nothing for scopes per request.
  #checkScoped(): void {
    const all = [this.#tools, this.#prompts, this.#resources, this.#templates];
    this.#requiresScopes = all.some((registry) => registry.isScoped);
  }

  // Declares a feature and its methods when it is used for the first time; until then they do not exist.
  #offer(capability: keyof ServerCapabilities, settings: object, handlers: readonly [string, Handler][]): void {
    if (this.#derived[capability]) return;
    this.#derived = { ...this.#derived, [capability]: settings };
    this.#capabilities = undefined;
    if (this.#options.capabilities?.[capability] === false) return;
    for (const [method, handler] of handlers) if (!this.#handlers.has(method)) this.#handlers.set(method, handler);
  }

  // A server may declare a feature of which it has nothing yet.
  #offerDeclared(declared: McpServerOptions['capabilities'] = {}): void {
    if (declared.tools) this.#offerTools();
    if (declared.prompts) this.#offerPrompts();
    if (declared.resources) this.#offerResources();
    if (declared.completions) this.#offerCompletions();
  }

  #offerTools(): void {
    this.#offer('tools', { listChanged: true }, [
      ['tools/list', (ctx) => this.#list(this.#tools, ctx)],
      ['tools/call', (ctx) => callTool(this.#tools, ctx)],
    ]);
  }

  #offerPrompts(): void {
    this.#offer('prompts', { listChanged: true }, [
      ['prompts/list', (ctx) => this.#list(this.#prompts, ctx)],
      ['prompts/get', (ctx) => getPrompt(this.#prompts, ctx)],
    ]);
  }

  #offerResources(): void {
    this.#offer('resources', { listChanged: true, subscribe: true }, [
      ['resources/list', (ctx) => this.#listResources(ctx)],
      ['resources/templates/list', (ctx) => this.#list(this.#templates, ctx)],
      ['resources/read', (ctx) => readResource(this.#resources, this.#templates, ctx)],
    ]);
  }

  #offerCompletions(): void {
    this.#offer('completions', {}, [
      [
        'completion/complete',
        (ctx) => complete({ prompts: this.#prompts, templates: this.#templates, resources: this.#resources }, ctx),
      ],
    ]);
  }

  #listResources(ctx: RequestContext): MaybePromise<object> {
    if (!this.#listsTemplates) return this.#list(this.#resources, ctx);
    return listWithTemplates(this.#resources, this.#templates, ctx);
  }

  // With middleware the list is given as objects, so that it can be looked at and changed; and where `_meta` is added.
  #list(registry: Lists, ctx: RequestContext): object {
    const { host, middleware, extensions, limits } = this.#internals;
    if (middleware.length === 0 && !extensions.addsMeta) {
      return registry.encodedList(ctx.params, ctx, ctx.wire, host, limits.pageSize);
    }
    ctx.encodingHints = { cache: registry.cache(host.cache) };
    return registry.list(ctx.params, ctx, limits.pageSize);
  }
}

/** `McpServer`: registers tools, prompts and resources, and serves them to clients of all protocol revisions. */

import { memoryPair } from '../jsonrpc/memory-transport.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { ServerCapabilities } from '../protocol/model/capabilities.ts';
import type { Implementation } from '../protocol/model/implementation.ts';
import { isLoggingLevel, LOGGING_LEVELS, type LoggingLevel } from '../protocol/model/logging.ts';
import { checkShape, isImplementation } from '../protocol/params.ts';
import type { CacheHints, ServerInfo } from '../protocol/revision.ts';
import { engineLoading } from '../schema/check/engine-loader.ts';
import type { AnySchema, InferInput } from '../schema/local/infer.ts';
import type { CheckedInput } from '../schema/local/input-schema-type.ts';
import { memoryChangeBus } from '../store/change-bus.ts';
import { canObserve } from './authorization/scopes.ts';
import { serveConnection } from './connection/connection.ts';
import { connectionOptions, type ServeOptions } from './connection/connection-options.ts';
import type { Context } from './context.ts';
import { Extensions } from './extensions/extensions.ts';
import { type CanObserve, ChangePublisher } from './features/change-notifications.ts';
import { complete } from './features/completion.ts';
import { getPrompt, type PromptConfig, type PromptEntry, type PromptHandler, promptEntry } from './features/prompts.ts';
import { type Entry, type Features, Registry } from './features/registry.ts';
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
import { limitsOf } from './limits/default-limits.ts';
import { usageOf } from './limits/usage.ts';
import type { Middleware, ParamsOf } from './middleware-types.ts';
import { checkServerOptions, type McpServerOptions, mergeCapabilities, reporter, servedVersions } from './options.ts';
import type { RequestContext } from './request-context.ts';

type Handler = (ctx: RequestContext) => unknown;
type Feature = 'tools' | 'prompts' | 'resources' | 'completions';

const NOT_CACHED: CacheHints = { ttlMs: 0, cacheScope: 'private' };

/** Capability of each feature, declared when its first tool, prompt, resource or completer is registered. */
const FEATURES: Readonly<Record<Feature, object>> = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
};

type Registries = {
  readonly tools: Registry<ToolEntry>;
  readonly prompts: Registry<PromptEntry>;
  readonly resources: Registry<ResourceEntry>;
  readonly templates: Registry<TemplateEntry>;
};

/** An MCP server. `Tools` is the type of its registered tools, from which `connect<typeof server>()` derives a typed client. */
export class McpServer<out Tools = {}> {
  /** Types of the registered tools. The property has no value at run time. */
  declare readonly $tools: Tools;
  readonly info: Implementation;
  readonly #options: McpServerOptions;
  readonly #extensions: Extensions;
  readonly #changes: ChangePublisher;
  readonly #registries: Registries;
  /** Handlers keyed by method. The first registered tool, prompt or resource adds the methods of its feature. */
  readonly #handlers = new Map<string, Handler>();
  readonly #featureHandlers: Readonly<Record<Feature, Readonly<Record<string, Handler>>>>;
  readonly #middleware: Middleware[] = [];
  readonly #internals: ServerInternals;
  #requiresScopes = false;
  #listsTemplates = false;
  /** Capabilities of the features in use, before the option `capabilities` is applied. */
  #derived: ServerCapabilities = { logging: {} };
  #capabilities: ServerCapabilities | undefined;

  constructor(info: Implementation, options: McpServerOptions = {}) {
    if (!isImplementation(info))
      throw new TypeError('McpServer needs a name and a version: new McpServer({ name, version })');
    checkServerOptions(options);
    this.info = info;
    this.#options = options;
    this.#extensions = new Extensions(options.extensions);
    for (const [method, handler] of this.#extensions.handlers) this.#handlers.set(method, handler);
    const report = (method: string) => (error: unknown) => this.#internals.report(error, { method });
    this.#changes = new ChangePublisher(options.changes ?? memoryChangeBus(), report('changes'));
    const changed = (type: 'tools' | 'prompts' | 'resources') => () => {
      // Updated on each change of a registry, so that requests to a server without scopes skip the scope checks.
      this.#requiresScopes = Object.values(registries).some((registry) => registry.requiresScopes);
      this.#changes.publish({ type });
    };
    const registries: Registries = {
      tools: new Registry('tools', 'Tool', changed('tools'), report('visible')),
      prompts: new Registry('prompts', 'Prompt', changed('prompts'), report('visible')),
      resources: new Registry('resources', 'Resource', changed('resources'), report('visible')),
      templates: new Registry('resourceTemplates', 'Resource template', changed('resources'), report('visible')),
    };
    this.#registries = registries;
    const { tools, prompts, resources, templates } = registries;
    this.#featureHandlers = {
      tools: { 'tools/list': (ctx) => this.#list(tools, ctx), 'tools/call': (ctx) => callTool(tools, ctx) },
      prompts: { 'prompts/list': (ctx) => this.#list(prompts, ctx), 'prompts/get': (ctx) => getPrompt(prompts, ctx) },
      resources: {
        'resources/list': (ctx) =>
          this.#listsTemplates ? listWithTemplates(registries, ctx) : this.#list(resources, ctx),
        'resources/templates/list': (ctx) => this.#list(templates, ctx),
        'resources/read': (ctx) => readResource(registries, ctx),
      },
      completions: { 'completion/complete': (ctx) => complete(registries, ctx) },
    };
    this.#internals = this.#makeInternals(info, options);
    // A feature in the option `capabilities` is served even if nothing is registered yet.
    for (const feature of Object.keys(FEATURES) as Feature[]) if (options.capabilities?.[feature]) this.#offer(feature);
    for (const { server } of options.extensions ?? []) server?.register?.(this);
  }

  /** Access for transports and request handling. Not part of the public API. */
  get '~internals'(): ServerInternals {
    return this.#internals;
  }

  /** Registers a tool. The handler runs only if the arguments match `inputSchema`. */
  registerTool<const N extends string, const I extends AnySchema = NoArguments, const O extends AnySchema = AnyResult>(
    name: N,
    config: ToolConfig<I, O> & CheckedInput<I>,
    handler: NoInfer<HandlerOf<I, O>>,
  ): McpServer<Tools & { readonly [K in N]: ToolType<InferInput<I>, Result<O>> }> {
    const entry = toolEntry(name, config, handler as ToolHandler<never, unknown>, this.#extensions);
    this.#registries.tools.add(entry, config.replace === true);
    this.#offer('tools');
    return this as unknown as McpServer<never>;
  }

  /** Registers tools made with `defineTool`, keyed by name. TypeScript checks them faster than chained `registerTool` calls. */
  registerTools<const D extends Readonly<Record<string, AnyToolDefinition>>>(
    definitions: D,
  ): McpServer<Tools & { readonly [K in keyof D]: ToolTypeOf<D[K]> }> {
    for (const [name, { config, call }] of Object.entries(definitions)) {
      this.registerTool(name, config as ToolConfig, call as ToolHandler<unknown, unknown>);
    }
    return this as unknown as McpServer<never>;
  }

  /** Registers a resource. If `config` is a string, it is the MIME type. */
  registerResource(uri: string, config: ResourceConfig | string, handler: ResourceHandler): this {
    const entry = resourceEntry(uri, config, handler);
    this.#registries.resources.add(entry, typeof config === 'object' && config.replace === true);
    this.#offer('resources');
    return this;
  }

  /** Registers the resources whose URIs match an RFC 6570 URI template. If `config` is a string, it is their MIME type. */
  registerResourceTemplate<const T extends string>(
    uriTemplate: T,
    config: ResourceTemplateConfig | string,
    handler: ResourceTemplateHandler<VariablesOf<T>>,
  ): this {
    const entry = templateEntry(uriTemplate, config, handler as unknown as ResourceTemplateHandler);
    this.#registries.templates.add(entry, typeof config === 'object' && config.replace === true);
    if (entry.complete) this.#offer('completions');
    this.#listsTemplates ||= entry.list !== undefined;
    this.#offer('resources');
    return this;
  }

  /** Registers a prompt. The handler runs only if the arguments match `argsSchema`. */
  registerPrompt<const S extends AnySchema = NoArguments>(
    name: string,
    config: PromptConfig<S> & CheckedInput<S, 'argsSchema'>,
    handler: PromptHandler<S>,
  ): this {
    const entry = promptEntry(name, config, handler);
    this.#registries.prompts.add(entry, config.replace === true);
    if (entry.complete) this.#offer('completions');
    this.#offer('prompts');
    return this;
  }

  /** Lists, disables, enables and removes registered tools, by name. */
  get tools(): Features {
    return this.#registries.tools;
  }

  /** Lists, disables, enables and removes registered prompts, by name. */
  get prompts(): Features {
    return this.#registries.prompts;
  }

  /** Lists, disables, enables and removes registered resources, by URI. */
  get resources(): Features {
    return this.#registries.resources;
  }

  /** Lists, disables, enables and removes registered resource templates, by URI template. */
  get resourceTemplates(): Features {
    return this.#registries.templates;
  }

  /** Sends `notifications/resources/updated` to clients that subscribed to the URI or to a folder that contains it. */
  resourceUpdated(uri: string): void {
    this.#changes.publish({ type: 'resource', uri });
  }

  /**
   * Sends a log message to all clients of revisions up to 2025-11-25 whose log level includes it. In handlers, use `ctx.log`.
   * `logger` names the component. Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on.
   */
  log(level: LoggingLevel, data: unknown, logger?: string): void {
    if (!isLoggingLevel(level)) throw new TypeError(`log: the level must be one of ${LOGGING_LEVELS.join(', ')}`);
    const message = { level, data: data === undefined ? null : data };
    this.#changes.publish({ type: 'log', message: logger === undefined ? message : { ...message, logger } });
  }

  /** Adds middleware, which wraps every request and notification. The middleware added first is the outermost. */
  use(middleware: Middleware): this {
    if (typeof middleware !== 'function') throw new TypeError('use needs a function, (ctx, next) => next()');
    this.#middleware.push(middleware);
    return this;
  }

  /** Sets the handler of a custom or protocol method. Methods whose names begin with `notifications/` are notifications. */
  setHandler<const M extends string>(method: M, handler: (params: ParamsOf<M>, ctx: Context) => unknown): this {
    if (typeof handler !== 'function') throw new TypeError(`setHandler: the handler of "${method}" must be a function`);
    this.#handlers.set(method, (ctx) => {
      checkShape(method, ctx.params);
      return handler(ctx.params as ParamsOf<M>, ctx);
    });
    return this;
  }

  /** Serves a new connection within this process and returns the transport for its client. */
  async connectInProcess(options: ServeOptions = {}): Promise<Transport> {
    const settings = connectionOptions('connectInProcess', options, { ownsProcess: true });
    await engineLoading();
    const [near, far] = memoryPair();
    await serveConnection(this.#internals, far, settings);
    return near;
  }

  #makeInternals(info: Implementation, options: McpServerOptions): ServerInternals {
    const server = this;
    const registries = this.#registries;
    const limits = limitsOf(options.limits);
    const canObserveChange: CanObserve = (change, observer) =>
      change.type !== 'resource' || canObserve(internals, change.uri, observer);
    const serverInfo: ServerInfo = {
      info,
      instructions: options.instructions,
      versions: servedVersions(options.revisions),
      cache: { ...NOT_CACHED, ...options.cache },
      get capabilities() {
        server.#capabilities ??= mergeCapabilities(server.#derived, options);
        return server.#capabilities;
      },
      declaredIn: (version, principal) => server.#extensions.declaredIn(version, principal, serverInfo.capabilities),
      subscriptions: server.#extensions.subscriptions,
      watch: (listener, observer, subscribed) =>
        server.#changes.watch(listener, observer, canObserveChange, subscribed),
    };
    const internals: ServerInternals = {
      serverInfo,
      limits,
      usage: usageOf(limits),
      secrets: secretsOf(options.keys ?? []),
      middleware: this.#middleware,
      extensions: this.#extensions,
      registries,
      get requiresScopes() {
        return server.#requiresScopes;
      },
      handler: (method) => (method.startsWith('notifications/') ? undefined : this.#handlers.get(method)),
      notificationHandler: (method) => (method.startsWith('notifications/') ? this.#handlers.get(method) : undefined),
      resourceAt: (uri, viewer) => resolveResource(registries, uri, viewer)?.entry,
      visibleTools: (viewer) => [...registries.tools.entries(viewer)].map(({ definition }) => definition),
      errors: options.errors ?? 'hidden',
      report: reporter(options.onError),
    };
    return internals;
  }

  // Declares the capability of a feature and adds its methods. Repeated calls have no effect.
  #offer(feature: Feature): void {
    if (this.#derived[feature]) return;
    this.#derived = { ...this.#derived, [feature]: FEATURES[feature] };
    this.#capabilities = undefined;
    if (this.#options.capabilities?.[feature] === false) return;
    for (const [method, handler] of Object.entries(this.#featureHandlers[feature])) {
      if (!this.#handlers.has(method)) this.#handlers.set(method, handler);
    }
  }

  // Returns the list as cached JSON text, or as objects if middleware or an extension that adds `_meta` needs them.
  #list(registry: Registry<Entry>, ctx: RequestContext): object {
    const { serverInfo, middleware, extensions, limits } = this.#internals;
    if (middleware.length === 0 && !extensions.addsMeta) {
      return registry.encodedList(ctx.params, ctx, ctx.wire, serverInfo, limits.pageSize);
    }
    ctx.encodingHints = { cache: registry.cache(serverInfo.cache) };
    return registry.list(ctx.params, ctx, limits.pageSize);
  }
}

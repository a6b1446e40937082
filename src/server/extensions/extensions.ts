/** `Extensions`: capabilities, methods, subscription fields and result metadata of all extensions of a server. */

import { callGuarded, RpcError } from '../../jsonrpc/errors.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { hasCapability } from '../../protocol/capabilities.ts';
import { missingCapability } from '../../protocol/errors.ts';
import {
  checkExtensionDefinitions,
  checkMethod,
  extensionCapabilities,
  isDeclarableIn,
  mcpNamesOf,
} from '../../protocol/extension-definition.ts';
import type { ServerCapabilities } from '../../protocol/model/capabilities.ts';
import type { Tool } from '../../protocol/model/tools.ts';
import type { Principal } from '../../protocol/principal.ts';
import type { Call, OpenSubscription, SubscriptionField } from '../../protocol/revision.ts';
import type { ProtocolVersion } from '../../protocol/revisions.ts';
import type { ToolConfig } from '../features/tool-types.ts';
import type { ServedExtensions } from '../internals.ts';
import type { RequestContext } from '../request-context.ts';
import type { BuiltInRevision, ExtensionHandler, ServerExtension, ServerHooks, TaskStarter } from './extension.ts';
import type { ExtensionResult } from './extension-result.ts';

type Result = Readonly<Record<string, unknown>>;
type Handler = (ctx: RequestContext) => unknown;

export class Extensions implements ServedExtensions {
  readonly #all: readonly ServerExtension[];
  readonly mcpNames: ReadonlyMap<string, string>;
  readonly handlers: ReadonlyMap<string, Handler>;
  /** Functions that open a subscription, keyed by the name of its field in `notifications` of `subscriptions/listen`. */
  readonly subscriptions: ReadonlyMap<string, OpenSubscription>;
  readonly toolOptions: readonly string[];
  /** True if an extension can add members to the `_meta` of results. If false, `withMeta` does nothing and can be skipped. */
  readonly addsMeta: boolean;
  /** True if tool calls can run as tasks, because an extension has the hook `detach`. */
  readonly canDetach: boolean;
  detached = 0;

  constructor(all: readonly ServerExtension[] = []) {
    checkExtensionDefinitions(all);
    this.#all = all;
    this.mcpNames = mcpNamesOf(all);
    this.handlers = handlersOf(all);
    this.subscriptions = subscriptionsOf(all);
    this.toolOptions = all.flatMap(({ server }) => server?.toolOptions ?? []);
    this.addsMeta = all.some(({ server }) => server?.resultMeta);
    this.canDetach = all.some(({ server }) => server?.detach);
  }

  /** Returns `capabilities` together with the capabilities of the extensions for this protocol version and principal. */
  declaredIn(version: string, principal: Principal | undefined, capabilities: ServerCapabilities): ServerCapabilities {
    if (this.#all.length === 0) return capabilities;
    const declarations = this.#all.map((one) => ({ definition: one, settings: one.server?.settings ?? {} }));
    // The server's option `capabilities.extensions` overrides the settings of extensions.
    const extensions = { ...extensionCapabilities(version, declarations), ...capabilities.extensions };
    const builtIn = this.#all.map((one) => builtInRevisionOf(one, version)?.capabilities(principal));
    const all = Object.assign({}, capabilities, ...builtIn);
    return Object.keys(extensions).length === 0 ? all : { ...all, extensions };
  }

  describe(tool: Tool, config: ToolConfig): Tool {
    return this.#all.reduce((shown, { server }) => server?.describeTool?.(shown, config) ?? shown, tool);
  }

  /** Calls the hook `detach` of each extension until one returns a function that starts a task, and returns this function. */
  taskStarterFor(name: string, config: ToolConfig, ctx: RequestContext): TaskStarter | undefined {
    for (const extension of this.#all) {
      const call = { name, config, ctx, isDeclared: isDeclared(extension, ctx) };
      const startTask = extension.server?.detach?.(call);
      if (startTask) return startTask;
    }
    return undefined;
  }

  /** Adds the `_meta` members of extensions to a result. A member that the handler has set keeps its value. */
  withMeta(result: Result, call: Call): Result {
    const declared = this.#all.filter((one) => one.server?.resultMeta && isDeclared(one, call));
    const added = declared.map((one) => one.server?.resultMeta?.(result, call as RequestContext));
    if (added.every((meta) => meta === undefined)) return result;
    const { _meta } = result;
    return { ...result, _meta: Object.assign({}, ...added, isObject(_meta) ? _meta : undefined) };
  }

  checkResult({ resultType }: ExtensionResult, call: Call): void {
    const owner = this.#all.find(({ resultTypes }) => resultTypes && Object.hasOwn(resultTypes, resultType));
    if (!owner?.resultTypes?.[resultType]?.includes(call.method)) {
      throw new Error(
        `No extension of this server lists the resultType "${resultType}" for ${call.method} in "resultTypes"`,
      );
    }
    if (isDeclared(owner, call) || builtInRevisionOf(owner, call.revision)) return;
    throw new Error(`The client did not declare "${owner.id}", so a result cannot have the resultType "${resultType}"`);
  }
}

function handlersOf(all: readonly ServerExtension[]): ReadonlyMap<string, Handler> {
  const handlers = new Map<string, Handler>();
  for (const extension of all) {
    const { methods = {}, builtInRevisions = {} } = extension.server ?? {};
    const names = [methods, ...Object.values(builtInRevisions).map((one) => one.methods)].flatMap(Object.keys);
    for (const method of new Set(names)) {
      checkMethod(extension.id, method);
      if (handlers.has(method))
        throw new TypeError(`Extension "${extension.id}": another extension has the method ${method}`);
      handlers.set(method, (ctx) => callMethod(extension, method, ctx));
    }
  }
  return handlers;
}

const CORE_FIELDS: ReadonlySet<string> = new Set([
  'toolsListChanged',
  'promptsListChanged',
  'resourcesListChanged',
  'resourceSubscriptions',
]);

function subscriptionsOf(all: readonly ServerExtension[]): ReadonlyMap<string, OpenSubscription> {
  const fields = new Map<string, OpenSubscription>();
  for (const extension of all) {
    for (const [name, field] of Object.entries(extension.server?.subscriptions ?? {})) {
      if (CORE_FIELDS.has(name) || fields.has(name)) {
        throw new TypeError(`Extension "${extension.id}": the field "${name}" of subscriptions/listen is taken`);
      }
      fields.set(name, (wanted, call) => openField(extension, field, wanted, call));
    }
  }
  return fields;
}

function callMethod(extension: ServerExtension, method: string, ctx: RequestContext): unknown {
  const builtIn = handlerIn(builtInRevisionOf(extension, ctx.revision)?.methods, method);
  if (builtIn) return builtIn(ctx.params, ctx);
  const handler = isDeclarableIn(extension, ctx.revision) ? handlerIn(extension.server?.methods, method) : undefined;
  if (!handler) throw RpcError.methodNotFound(method);
  if (extension.server?.availableTo === 'all' || isDeclared(extension, ctx)) return handler(ctx.params, ctx);
  // A notification from a client that does not declare the extension is ignored, because notifications have no error response.
  if (method.startsWith('notifications/')) return undefined;
  throw missingCapability(`extensions.${extension.id}`);
}

function handlerIn(
  methods: Readonly<Record<string, ExtensionHandler>> | undefined,
  method: string,
): ExtensionHandler | undefined {
  return methods && Object.hasOwn(methods, method) ? methods[method] : undefined;
}

async function openField(
  extension: ServerExtension,
  open: NonNullable<ServerHooks['subscriptions']>[string],
  wanted: unknown,
  call: Call,
): Promise<SubscriptionField | undefined> {
  const ctx = call as RequestContext;
  if (extension.server?.availableTo !== 'all' && !isDeclared(extension, ctx)) {
    throw missingCapability(`extensions.${extension.id}`);
  }
  const opened = await open(wanted, ctx);
  if (!opened) return undefined;
  const failed = (error: Error): void => ctx.server.report(error, { method: ctx.method, name: extension.id });
  return {
    accepted: opened.accepted,
    begin(notify) {
      const stop = opened.begin(notify);
      // Errors of the extension's `stop` go to `onError`, so that the `subscriptions/listen` request still ends.
      return () => callGuarded(stop, failed);
    },
  };
}

function isDeclared(extension: ServerExtension, { revision, caller }: Call): boolean {
  return isDeclarableIn(extension, revision) && hasCapability(caller.capabilities, `extensions.${extension.id}`);
}

function builtInRevisionOf({ server }: ServerExtension, version: string): BuiltInRevision | undefined {
  return server?.builtInRevisions?.[version as ProtocolVersion];
}

/** All extensions of a server: their capabilities, methods, subscription fields and result metadata. */

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
} from '../../protocol/extension.ts';
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

/** The extensions of one server. */
export class Extensions implements ServedExtensions {
  readonly #all: readonly ServerExtension[];
  /** Name of the member of params whose value HTTP requests repeat in the header `Mcp-Name`, by method. */
  readonly mcpNames: ReadonlyMap<string, string>;
  /** Handlers of requests and notifications, by method. */
  readonly handlers: ReadonlyMap<string, Handler>;
  /** Functions that open a subscription, by the name of its field in `notifications` of `subscriptions/listen`. */
  readonly subscriptions: ReadonlyMap<string, OpenSubscription>;
  /** Names of the options that extensions add to `registerTool`. */
  readonly toolOptions: readonly string[];
  /** True if an extension has the hook `resultMeta`. */
  readonly addsMeta: boolean;
  /** True if an extension has the hook `detach`. */
  readonly canDetach: boolean;
  /** Number of detached calls that are running. */
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

  /** Returns the capabilities of the server with those of its extensions, for a revision and a principal. */
  declaredIn(version: string, principal: Principal | undefined, capabilities: ServerCapabilities): ServerCapabilities {
    if (this.#all.length === 0) return capabilities;
    const declarations = this.#all.map((one) => ({ definition: one, settings: one.server?.settings ?? {} }));
    // Settings in the option `capabilities` override those of the extension.
    const extensions = { ...extensionCapabilities(version, declarations), ...capabilities.extensions };
    const builtIn = this.#all.map((one) => builtInRevisionOf(one, version)?.capabilities(principal));
    const all = Object.assign({}, capabilities, ...builtIn);
    return Object.keys(extensions).length === 0 ? all : { ...all, extensions };
  }

  /** Returns the definition of a tool for `tools/list`, as changed by the hooks `describeTool`. */
  describe(tool: Tool, config: ToolConfig): Tool {
    return this.#all.reduce((shown, { server }) => server?.describeTool?.(shown, config) ?? shown, tool);
  }

  /** Returns the function that starts a task for the call, from the first extension that has one for it; else undefined. */
  taskStarterFor(name: string, config: ToolConfig, ctx: RequestContext): TaskStarter | undefined {
    for (const extension of this.#all) {
      const call = { name, config, ctx, isDeclared: isDeclared(extension, ctx) };
      const startTask = extension.server?.detach?.(call);
      if (startTask) return startTask;
    }
    return undefined;
  }

  /** Returns the result with the members that extensions add to its `_meta`. They do not replace members set by the handler. */
  withMeta(result: Result, call: Call): Result {
    const declared = this.#all.filter((one) => one.server?.resultMeta && isDeclared(one, call));
    const added = declared.map((one) => one.server?.resultMeta?.(result, call as RequestContext));
    if (added.every((meta) => meta === undefined)) return result;
    const { _meta } = result;
    return { ...result, _meta: Object.assign({}, ...added, isObject(_meta) ? _meta : undefined) };
  }

  /** Throws if no extension has this type of result for the method, or the request does not declare the extension. */
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
  if (extension.server?.answers === 'everybody' || isDeclared(extension, ctx)) return handler(ctx.params, ctx);
  // A notification has no response, so it is ignored instead of refused.
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
  if (extension.server?.answers !== 'everybody' && !isDeclared(extension, ctx)) {
    throw missingCapability(`extensions.${extension.id}`);
  }
  const opened = await open(wanted, ctx);
  if (!opened) return undefined;
  const failed = (error: Error): void => ctx.server.report(error, { method: ctx.method, name: extension.id });
  return {
    accepted: opened.accepted,
    begin(notify) {
      const stop = opened.begin(notify);
      // The extension's `stop` is called when the request ends. Its errors go to `onError`, so that the request still ends.
      return () => callGuarded(stop, failed);
    },
  };
}

/** True if the request declares the extension, and its revision allows declaring it. */
function isDeclared(extension: ServerExtension, { revision, caller }: Call): boolean {
  return isDeclarableIn(extension, revision) && hasCapability(caller.capabilities, `extensions.${extension.id}`);
}

function builtInRevisionOf({ server }: ServerExtension, version: string): BuiltInRevision | undefined {
  return server?.builtInRevisions?.[version as ProtocolVersion];
}

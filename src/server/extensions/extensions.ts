/** All extensions of a server: what they declare, their methods, subscription fields and result metadata. */

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

/** What the extensions of one server add to it. */
export class Extensions implements ServedExtensions {
  readonly #all: readonly ServerExtension[];
  /** The member of params that HTTP repeats as `Mcp-Name`, by method. */
  readonly mcpNames: ReadonlyMap<string, string>;
  /** Their requests and notifications, by method. */
  readonly handlers: ReadonlyMap<string, Handler>;
  /** Their fields of `subscriptions/listen`. */
  readonly subscriptions: ReadonlyMap<string, OpenSubscription>;
  /** The keys they add to what a tool is registered with. */
  readonly toolOptions: readonly string[];
  /** True if one of them adds to results. */
  readonly addsMeta: boolean;
  /** True if one of them can take calls over. */
  readonly canDetach: boolean;
  /** How many calls are running that they took over. */
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

  /** What clients of a revision are told, with the features the server has. */
  declaredIn(version: string, principal: Principal | undefined, capabilities: ServerCapabilities): ServerCapabilities {
    if (this.#all.length === 0) return capabilities;
    const declarations = this.#all.map((one) => ({ definition: one, settings: one.server?.settings ?? {} }));
    // What was said of an extension by hand counts more than what it says of itself.
    const extensions = { ...extensionCapabilities(version, declarations), ...capabilities.extensions };
    const native = this.#all.map((one) => builtInRevisionOf(one, version)?.capabilities(principal));
    const all = Object.assign({}, capabilities, ...native);
    return Object.keys(extensions).length === 0 ? all : { ...all, extensions };
  }

  /** The tool as lists show it. */
  describe(tool: Tool, config: ToolConfig): Tool {
    return this.#all.reduce((shown, { server }) => server?.describeTool?.(shown, config) ?? shown, tool);
  }

  /** How to answer a call of this tool before it is done, if one of them can. */
  taskStarterFor(name: string, config: ToolConfig, ctx: RequestContext): TaskStarter | undefined {
    for (const extension of this.#all) {
      const call = { name, config, ctx, isDeclared: isDeclared(extension, ctx) };
      const handOff = extension.server?.detach?.(call);
      if (handOff) return handOff;
    }
    return undefined;
  }

  /** The result with what they add to its `_meta`. */
  withMeta(result: Result, call: Call): Result {
    const declared = this.#all.filter((one) => one.server?.resultMeta && isDeclared(one, call));
    const added = declared.map((one) => one.server?.resultMeta?.(result, call as RequestContext));
    if (added.every((meta) => meta === undefined)) return result;
    const { _meta } = result;
    return { ...result, _meta: Object.assign({}, ...added, isObject(_meta) ? _meta : undefined) };
  }

  /** Refuses a result that this request cannot have: a mistake of whoever made it. */
  checkResult({ resultType }: ExtensionResult, call: Call): void {
    const owner = this.#all.find(({ resultTypes }) => resultTypes && Object.hasOwn(resultTypes, resultType));
    if (!owner?.resultTypes?.[resultType]?.includes(call.method)) {
      throw new Error(`No extension of this server has a result of the type "${resultType}" for ${call.method}`);
    }
    if (isDeclared(owner, call) || builtInRevisionOf(owner, call.revision)) return;
    throw new Error(
      `The client did not declare "${owner.id}", so it cannot be given a result of the type "${resultType}"`,
    );
  }
}

function handlersOf(all: readonly ServerExtension[]): ReadonlyMap<string, Handler> {
  const handlers = new Map<string, Handler>();
  for (const extension of all) {
    const { methods = {}, builtInRevisions: native = {} } = extension.server ?? {};
    const names = [methods, ...Object.values(native).map((one) => one.methods)].flatMap(Object.keys);
    for (const method of new Set(names)) {
      checkMethod(extension.id, method);
      if (handlers.has(method)) throw new TypeError(`Extension "${extension.id}": another has the method ${method}`);
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

/** Answers a method of its own. */
function callMethod(extension: ServerExtension, method: string, ctx: RequestContext): unknown {
  const native = handlerIn(builtInRevisionOf(extension, ctx.revision)?.methods, method);
  if (native) return native(ctx.params, ctx);
  const handler = isDeclarableIn(extension, ctx.revision) ? handlerIn(extension.server?.methods, method) : undefined;
  if (!handler) throw RpcError.methodNotFound(method);
  if (extension.server?.answers === 'everybody' || isDeclared(extension, ctx)) return handler(ctx.params, ctx);
  // A notification has nobody to be refused to.
  if (method.startsWith('notifications/')) return undefined;
  throw missingCapability(`extensions.${extension.id}`);
}

function handlerIn(
  methods: Readonly<Record<string, ExtensionHandler>> | undefined,
  method: string,
): ExtensionHandler | undefined {
  return methods && Object.hasOwn(methods, method) ? methods[method] : undefined;
}

/** Opens a field of its own in `subscriptions/listen`. */
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
    begin(tell) {
      const end = opened.begin(tell);
      // It is called when the request is over, and whoever ended that could do nothing about it.
      return () => callGuarded(end, failed);
    },
  };
}

/** True if this very request declares the extension, in a revision that has it. */
export function isDeclared(extension: ServerExtension, { revision, caller }: Call): boolean {
  return isDeclarableIn(extension, revision) && hasCapability(caller.capabilities, `extensions.${extension.id}`);
}

/** What the protocol itself had of it in this revision. */
export function builtInRevisionOf({ server }: ServerExtension, version: string): BuiltInRevision | undefined {
  return server?.builtInRevisions?.[version as ProtocolVersion];
}

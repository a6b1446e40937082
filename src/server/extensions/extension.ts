/** The public interface of server extensions: methods, subscription fields, result metadata, tool options and tasks. */

import type { ErrorObject, Params } from '../../jsonrpc/message.ts';
import type { ExtensionDefinition } from '../../protocol/extension.ts';
import type { Settings } from '../../protocol/model/capabilities.ts';
import type { InputRequest } from '../../protocol/model/input-requests.ts';
import type { Meta } from '../../protocol/model/meta.ts';
import type { Tool } from '../../protocol/model/tools.ts';
import type { Principal } from '../../protocol/principal.ts';
import type { SubscriptionField } from '../../protocol/revision.ts';
import type { ProtocolVersion } from '../../protocol/revisions.ts';
import type { Context } from '../context.ts';
import type {
  ResourceConfig,
  ResourceHandler,
  ResourceTemplateConfig,
  ResourceTemplateHandler,
} from '../features/resources.ts';
import type { ToolConfig } from '../features/tool-types.ts';
import type { ExtensionResult } from './extension-result.ts';

/** An extension of a server: `new McpServer(info, { extensions: [extension] })`. */
export interface ServerExtension extends ExtensionDefinition {
  /** Hooks into the server. Without them the server only declares the extension. */
  readonly server?: ServerHooks;
}

/** Handles a request or notification of an extension. Errors are treated like those of `setHandler` handlers. */
export type ExtensionHandler = (params: Params, ctx: Context) => unknown;

/** Hooks of an extension into a server. All are optional; most run only for requests that declare the extension. */
export interface ServerHooks {
  /** The value of the extension in the server's capabilities. Default: `{}`. */
  readonly settings?: Settings;
  /** Handlers by method: of notifications if the method begins with `notifications/`, else of requests. */
  readonly methods?: Readonly<Record<string, ExtensionHandler>>;
  /** Accepts `methods` and `subscriptions` of all requests, or only of those that declare the extension. Default: `declared`. */
  readonly answers?: 'declared' | 'everybody';
  /**
   * Fields that the extension adds to `notifications` of `subscriptions/listen`. Each function validates the requested value and
   * returns the accepted field, or undefined if nothing of it is accepted. It throws an `RpcError` if the value is malformed.
   */
  readonly subscriptions?: Readonly<
    Record<
      string,
      (wanted: unknown, ctx: Context) => SubscriptionField | undefined | Promise<SubscriptionField | undefined>
    >
  >;
  /** Returns members for the `_meta` of a result. Called for requests that declare the extension. */
  readonly resultMeta?: (result: Readonly<Record<string, unknown>>, ctx: Context) => Meta | undefined;
  /** Additional options of `registerTool`, which `describeTool` and `detach` can read. Unknown options are errors. */
  readonly toolOptions?: readonly string[];
  /** Returns the definition of a tool for `tools/list`, given the options of `registerTool`. It is the same for all clients. */
  readonly describeTool?: (tool: Tool, config: ToolConfig) => Tool;
  /**
   * Returns a function that starts a task for a tool call, or undefined to run the call normally. Called after the arguments
   * were validated and before the handler runs. Throws an `RpcError` to refuse the call.
   */
  readonly detach?: (call: ToolCall) => TaskStarter | undefined;
  /** Revisions in which the extension is part of the protocol: own capabilities, and methods for all clients of the revision. */
  readonly builtInRevisions?: Readonly<Partial<Record<ProtocolVersion, BuiltInRevision>>>;
  /** Registers resources of the extension. Called by the constructor of `McpServer`. */
  readonly register?: (server: ExtensionRegistrar) => void;
}

/** An extension in a revision in which it is part of the protocol. */
export interface BuiltInRevision {
  /** Capabilities to add to those of the server, for this principal. */
  capabilities(principal: Principal | undefined): Readonly<Record<string, Settings>>;
  readonly methods: Readonly<Record<string, ExtensionHandler>>;
}

/** A tool call with valid arguments. */
export interface ToolCall {
  readonly name: string;
  /** The options of `registerTool`. */
  readonly config: ToolConfig;
  readonly ctx: Context;
  /** True if the request declares the extension, in a revision in which it can be declared. */
  readonly isDeclared: boolean;
}

/** Starts a task for a call. Resolves to undefined if no task can be started; the call then runs normally. */
export type TaskStarter = () => Promise<StartedTask | undefined>;

/** A task that continues a tool call. */
export interface StartedTask {
  /** The result of the request, for instance with the id of the task. */
  readonly result: ExtensionResult;
  /** Receives the input requests, the progress and the outcome of the handler. */
  readonly call: DetachedCall;
}

/** A tool call whose handler continues after its request was answered. The extension implements it. */
export interface DetachedCall {
  /** Aborts the handler. */
  readonly signal: AbortSignal;
  /** Resolves to the input response. The request is encoded for the revision of the call. */
  ask(request: InputRequest): Promise<unknown>;
  /** Receives the arguments of `ctx.reportProgress`. */
  progress(progress: number, total?: number, message?: string): void;
  /** Called once when the handler has settled, with the result or error that the request would have had. */
  end(outcome: { readonly result: object } | { readonly error: ErrorObject }): void | Promise<void>;
}

/** The methods of a server with which extensions register resources. */
export interface ExtensionRegistrar {
  /** Same as `McpServer.registerResource`. */
  registerResource(uri: string, config: ResourceConfig | string, handler: ResourceHandler): unknown;
  /** Same as `McpServer.registerResourceTemplate`. */
  registerResourceTemplate(
    uriTemplate: string,
    config: ResourceTemplateConfig | string,
    handler: ResourceTemplateHandler,
  ): unknown;
}

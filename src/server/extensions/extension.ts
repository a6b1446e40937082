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

/** Functions and settings that an extension adds to a server. Most apply only to requests that declare the extension. */
export interface ServerHooks {
  /** The value of the extension in the server's capabilities. Default: `{}`. */
  readonly settings?: Settings;
  /** Handlers by method: of notifications if the method begins with `notifications/`, else of requests. */
  readonly methods?: Readonly<Record<string, ExtensionHandler>>;
  /** Requests that may use `methods` and `subscriptions`: those that declare the extension, or all. Default: `declared`. */
  readonly answers?: 'declared' | 'everybody';
  /**
   * Fields that the extension adds to `notifications` of `subscriptions/listen`, by name. Each function validates the value that
   * the client sent for the field and returns the accepted subscription, or undefined to accept nothing. It throws an `RpcError`
   * if the value is malformed.
   */
  readonly subscriptions?: Readonly<
    Record<
      string,
      (wanted: unknown, ctx: Context) => SubscriptionField | undefined | Promise<SubscriptionField | undefined>
    >
  >;
  /** Returns members for the `_meta` of a result. Called for requests that declare the extension. */
  readonly resultMeta?: (result: Readonly<Record<string, unknown>>, ctx: Context) => Meta | undefined;
  /** Names of additional options of `registerTool`, for `describeTool` and `detach`. `registerTool` refuses unknown options. */
  readonly toolOptions?: readonly string[];
  /** Changes the definition of a tool in `tools/list`, given the options of `registerTool`. Called once per registration. */
  readonly describeTool?: (tool: Tool, config: ToolConfig) => Tool;
  /**
   * Returns a function that starts a task for a tool call, or undefined to run the call normally. Called after the arguments
   * were validated and before the handler runs. Throws an `RpcError` to refuse the call.
   */
  readonly detach?: (call: ToolCall) => TaskStarter | undefined;
  /** Revisions in which the extension is part of the protocol, so that clients use it without declaring an extension. */
  readonly builtInRevisions?: Readonly<Partial<Record<ProtocolVersion, BuiltInRevision>>>;
  /** Registers resources of the extension. Called by the constructor of `McpServer`. */
  readonly register?: (server: ExtensionRegistrar) => void;
}

/** Capabilities and methods of an extension in a revision in which it is part of the protocol, such as tasks in 2025-11-25. */
export interface BuiltInRevision {
  /** Returns the capabilities that the server declares to this principal in addition. */
  capabilities(principal: Principal | undefined): Readonly<Record<string, Settings>>;
  /** Handlers by method, for all clients of the revision. */
  readonly methods: Readonly<Record<string, ExtensionHandler>>;
}

/** A tool call whose arguments are valid and whose handler has not started: the argument of the hook `detach`. */
export interface ToolCall {
  readonly name: string;
  /** The options of `registerTool`. */
  readonly config: ToolConfig;
  readonly ctx: Context;
  /** True if the request declares the extension, and its revision allows declaring it. */
  readonly isDeclared: boolean;
}

/** Starts a task for a call. Resolves to undefined if no task can be started; the call then runs normally. */
export type TaskStarter = () => Promise<StartedTask | undefined>;

/** A task that continues a tool call. */
export interface StartedTask {
  /** The result that the client gets instead of the tool's, for instance with the id of the task. */
  readonly result: ExtensionResult;
  /** Receives the input requests, the progress and the outcome of the handler. */
  readonly call: DetachedCall;
}

/** A tool call whose handler continues after its request was answered. The extension implements it. */
export interface DetachedCall {
  /** Aborts when the task is cancelled. The handler is aborted, too. */
  readonly signal: AbortSignal;
  /** Gets the input response from the client. The request is encoded for the revision of the call. */
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

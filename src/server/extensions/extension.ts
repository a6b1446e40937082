/** The public interface of server extensions. */

import type { ErrorObject, Params } from '../../jsonrpc/message.ts';
import type { ExtensionDefinition } from '../../protocol/extension-definition.ts';
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

/** An extension of a server, as passed to `new McpServer(info, { extensions: [extension] })`. */
export interface ServerExtension extends ExtensionDefinition {
  /** Hooks into the server. Default: the server only declares the extension in its capabilities. */
  readonly server?: ServerHooks;
}

/** Handles a request or notification of an extension, like a handler of `McpServer.setHandler`. */
export type ExtensionHandler = (params: Params, ctx: Context) => unknown;

/** Functions and settings that an extension adds to a server. */
export interface ServerHooks {
  /** Value of the extension in `extensions` of the server's capabilities. Default: `{}`. */
  readonly settings?: Settings;
  /** Handlers, keyed by method. A method that begins with `notifications/` is a notification, every other one a request. */
  readonly methods?: Readonly<Record<string, ExtensionHandler>>;
  /** Clients that can use `methods` and `subscriptions`: those that declare the extension, or all. Default: `declared`. */
  readonly availableTo?: 'declared' | 'all';
  /**
   * Fields that the extension adds to `notifications` of `subscriptions/listen`, keyed by name. Each function gets the value
   * of its field and returns the accepted subscription, or undefined to accept none. An `RpcError` refuses the request.
   */
  readonly subscriptions?: Readonly<
    Record<
      string,
      (wanted: unknown, ctx: Context) => SubscriptionField | undefined | Promise<SubscriptionField | undefined>
    >
  >;
  /** Returns members to add to the `_meta` of a result. Called only for clients that declare the extension. */
  readonly resultMeta?: (result: Readonly<Record<string, unknown>>, ctx: Context) => Meta | undefined;
  /** Names of the options that the extension adds to `registerTool`, which refuses unknown options. */
  readonly toolOptions?: readonly string[];
  /** Returns the definition that `tools/list` shows instead of `tool`. `config` has the options of `registerTool`. */
  readonly describeTool?: (tool: Tool, config: ToolConfig) => Tool;
  /** Returns a function that starts a task for the call; undefined to run it without a task. An `RpcError` refuses the call. */
  readonly detach?: (call: ToolCall) => TaskStarter | undefined;
  /** Revisions in which the extension is part of the protocol, so that clients use it without declaring the extension. */
  readonly builtInRevisions?: Readonly<Partial<Record<ProtocolVersion, BuiltInRevision>>>;
  /** Registers resources of the extension. Called by the constructor of `McpServer`. */
  readonly register?: (server: ExtensionRegistrar) => void;
}

/** Capabilities and methods of an extension in a revision that contains the extension, such as tasks in 2025-11-25. */
export interface BuiltInRevision {
  /** Returns the server capabilities that the extension adds in this revision, for a client with this principal. */
  capabilities(principal: Principal | undefined): Readonly<Record<string, Settings>>;
  /** Handlers, keyed by method. All clients of this revision can call them, without declaring the extension. */
  readonly methods: Readonly<Record<string, ExtensionHandler>>;
}

/** Argument of the hook `detach`: a tool call with valid arguments, whose handler has not started. */
export interface ToolCall {
  readonly name: string;
  readonly config: ToolConfig;
  readonly ctx: Context;
  /** True if the client declares the extension, in a revision in which the extension can be declared. */
  readonly isDeclared: boolean;
}

/** Starts a task for a tool call. Resolves to undefined if no task can be started: the call then runs without a task. */
export type TaskStarter = () => Promise<StartedTask | undefined>;

/** Result of a `TaskStarter`: the result to send to the client, and the callbacks for the rest of the call. */
export interface StartedTask {
  /** Result that the client gets for `tools/call` while the handler runs, for instance with the id of the task. */
  readonly result: ExtensionResult;
  /** Receives the input requests, the progress and the outcome of the tool's handler. */
  readonly call: DetachedCall;
}

/** A tool call whose handler continues after the `tools/call` request got its result. Implemented by the extension. */
export interface DetachedCall {
  /** Aborts when the task is cancelled. The server then aborts `ctx.signal` of the handler. */
  readonly signal: AbortSignal;
  /** Requests input from the client and resolves to the input response. `request` is encoded for the revision of the call. */
  ask(request: InputRequest): Promise<unknown>;
  /** Called with the arguments of each `ctx.reportProgress` whose progress is higher than before. */
  progress(progress: number, total?: number, message?: string): void;
  /** Called once when the handler has settled, with the result or error that a call without a task would have returned. */
  end(outcome: { readonly result: object } | { readonly error: ErrorObject }): void | Promise<void>;
}

/** Argument of the hook `register`: the methods of `McpServer` that register resources. */
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

/** What an extension can add to a server. All of it is optional; what it does for a request is done if that declares it. */

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

/** An extension, as a server takes it: `new McpServer(info, { extensions: [extension] })`. */
export interface ServerExtension extends ExtensionDefinition {
  /** What it does on a server. Without it the extension is only declared. */
  readonly server?: ServerHooks;
}

/** Answers a request of an extension's, or takes a notification. What it throws is treated like what a handler throws. */
export type ExtensionHandler = (params: Params, ctx: Context) => unknown;

/** What an extension does on a server. */
export interface ServerHooks {
  /** What is declared to clients beside its name. Default: `{}`. */
  readonly settings?: Settings;
  /** Its requests and, where the name begins with `notifications/`, its notifications, by method. */
  readonly methods?: Readonly<Record<string, ExtensionHandler>>;
  /** Whose requests are answered: of clients that declare it themselves, or of everybody. Default: `declared`. */
  readonly answers?: 'declared' | 'everybody';
  /**
   * Fields that it adds to `notifications` of `subscriptions/listen`. Each function validates the requested value and returns the
   * accepted field, or undefined if nothing of it is accepted. It throws an `RpcError` if the value is malformed.
   */
  readonly subscriptions?: Readonly<
    Record<
      string,
      (wanted: unknown, ctx: Context) => SubscriptionField | undefined | Promise<SubscriptionField | undefined>
    >
  >;
  /** What it adds to the `_meta` of a result, for a client that declared it. */
  readonly resultMeta?: (result: Readonly<Record<string, unknown>>, ctx: Context) => Meta | undefined;
  /** Keys that it adds to the options of `registerTool`, for `describeTool` and `detach` to read. Others are errors. */
  readonly toolOptions?: readonly string[];
  /** The tool as lists show it, made from how it was registered. Lists are the same for everybody. */
  readonly describeTool?: (tool: Tool, config: ToolConfig) => Tool;
  /**
   * Says whether a call of a tool can be answered before it is done, and gives the function that sees to it. Called with
   * arguments that were checked, before the handler runs. It may refuse the call by throwing an `RpcError`. If the
   * function gives nothing, the call is run as ever.
   */
  readonly detach?: (call: ToolCall) => TaskStarter | undefined;
  /** What the protocol itself had of it in some revisions: declared there as a capability of its own, and answered to all. */
  readonly builtInRevisions?: Readonly<Partial<Record<ProtocolVersion, BuiltInRevision>>>;
  /** Registers what belongs to it, when the server is made. */
  readonly register?: (server: ExtensionRegistrar) => void;
}

/** An extension in a revision that had it in the protocol itself. */
export interface BuiltInRevision {
  /** What is declared to this caller, by name, beside the capabilities the protocol has now. */
  capabilities(principal: Principal | undefined): Readonly<Record<string, Settings>>;
  readonly methods: Readonly<Record<string, ExtensionHandler>>;
}

/** A call of a tool, whose arguments fit. */
export interface ToolCall {
  readonly name: string;
  /** How the tool was registered. */
  readonly config: ToolConfig;
  readonly ctx: Context;
  /** True if this request declares the extension, and its revision has it. */
  readonly isDeclared: boolean;
}

/** Takes a call over, if it still can. */
export type TaskStarter = () => Promise<StartedTask | undefined>;

/** A call that was taken over: the client is answered, and the handler goes on. */
export interface StartedTask {
  /** What the client is answered. */
  readonly result: ExtensionResult;
  /** What stands in for the client from now on. */
  readonly call: DetachedCall;
}

/** Stands in for the client of a call that was answered already. */
export interface DetachedCall {
  /** Aborted when nobody wants the result any more. */
  readonly signal: AbortSignal;
  /** Puts a question and waits for the answer, in the words of the revision the call was made in. */
  ask(request: InputRequest): Promise<unknown>;
  /** The handler says how far it has got. */
  progress(progress: number, total?: number, message?: string): void;
  /** The handler has ended: with what would have been the answer to the request. Called once. */
  end(outcome: { readonly result: object } | { readonly error: ErrorObject }): void | Promise<void>;
}

/** The part of a server that extensions register things with. */
export interface ExtensionRegistrar {
  /** Registers a resource, as the server's own method does. */
  registerResource(uri: string, config: ResourceConfig | string, handler: ResourceHandler): unknown;
  /** Registers a family of resources, likewise. */
  registerResourceTemplate(
    uriTemplate: string,
    config: ResourceTemplateConfig | string,
    handler: ResourceTemplateHandler,
  ): unknown;
}

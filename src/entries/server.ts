/** `mcpp/server`: write a server, and serve it over any transport. */

export { RpcError } from '../jsonrpc/errors.ts';
export type { Transport } from '../jsonrpc/transport.ts';
export { missingCapability, resourceNotFound, ToolError } from '../protocol/errors.ts';
export type { LogEvent, ServerEvent } from '../protocol/model/changes.ts';
export { type Principal, principalKey } from '../protocol/principal.ts';
export type { Viewer } from '../protocol/revision.ts';
export type { CheckedInput } from '../schema/local/checked-input.ts';
export type { AnySchema, InferInput, InferOutput } from '../schema/local/infer.ts';
export type { Completer, Completers, CompletionInput } from '../server/completion.ts';
export { audio, image, text } from '../server/content.ts';
export type { AskOptions, Context, ElicitAnswer, RawAskOptions, SessionKey, UrlOptions } from '../server/context.ts';
export type {
  Desk,
  ExtensionHandler,
  HandedOff,
  InProtocol,
  OpenField,
  Registrar,
  ServerExtension,
  ServerSide,
  SubscriptionField,
  TakeOver,
  ToolCall,
} from '../server/extension.ts';
export { type ExtensionResult, extensionResult } from '../server/extension-result.ts';
export { type InputRequired, inputRequired, isSuspension } from '../server/input-required.ts';
export type { ErrorReport } from '../server/internals.ts';
export type { Limits } from '../server/limits.ts';
export type { Log } from '../server/log.ts';
export type {
  Middleware,
  MiddlewareContext,
  NamedParams,
  ParamsOf,
  RequestParams,
  ResourceParams,
  TypedRequest,
} from '../server/middleware.ts';
export type { McpServerOptions } from '../server/options.ts';
export type { PromptConfig, PromptHandler, PromptReturn } from '../server/prompts.ts';
export type { ErrorDisclosure, Features, Visible } from '../server/registry.ts';
export type { Secret } from '../server/request-state.ts';
export type {
  ListedResource,
  ResourceConfig,
  ResourceHandler,
  ResourceReturn,
  ResourceTemplateConfig,
  ResourceTemplateHandler,
  Variables,
} from '../server/resources.ts';
export { serve } from '../server/serve.ts';
export { McpServer } from '../server/server.ts';
export type { ServeOptions, Serving } from '../server/serving.ts';
export {
  type AnyResult,
  type Arguments,
  defineTool,
  type NoArguments,
  type ToolConfig,
  type ToolDefinition,
  type ToolHandler,
  type ToolReturn,
  type ToolType,
} from '../server/tool-types.ts';
export type { ChangeBus, Resync } from '../store/changes.ts';

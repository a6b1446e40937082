/** `mcpp/server`: defines servers, and serves them over any transport. */

export { RpcError } from '../jsonrpc/errors.ts';
export type { Transport } from '../jsonrpc/transport.ts';
export { missingCapability, resourceNotFound, ToolError } from '../protocol/errors.ts';
export type { LogEvent, ServerEvent } from '../protocol/model/changes.ts';
export { type Principal, principalKey } from '../protocol/principal.ts';
export type { SubscriptionField, Viewer } from '../protocol/revision.ts';
export type { AnySchema, InferInput, InferOutput } from '../schema/local/infer.ts';
export type { CheckedInput } from '../schema/local/input-schema-type.ts';
export type { ServedConnection, ServeOptions } from '../server/connection/connection-options.ts';
export { serve } from '../server/connection/serve.ts';
export type { AskOptions, Context, ElicitAnswer, RawAskOptions, SessionKey, UrlOptions } from '../server/context.ts';
export type {
  BuiltInRevision,
  DetachedCall,
  ExtensionHandler,
  ExtensionRegistrar,
  ServerExtension,
  ServerHooks,
  StartedTask,
  TaskStarter,
  ToolCall,
} from '../server/extensions/extension.ts';
export { type ExtensionResult, extensionResult } from '../server/extensions/extension-result.ts';
export type { Completer, Completers, CompletionInput } from '../server/features/completion.ts';
export { audio, image, text } from '../server/features/content.ts';
export type { PromptConfig, PromptHandler, PromptReturn } from '../server/features/prompts.ts';
export type { ErrorDisclosure, Features, Visible } from '../server/features/registry.ts';
export type {
  ListedResource,
  ResourceConfig,
  ResourceHandler,
  ResourceReturn,
  ResourceTemplateConfig,
  ResourceTemplateHandler,
  Variables,
} from '../server/features/resources.ts';
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
} from '../server/features/tool-types.ts';
export { type InputRequired, inputRequired, isSuspension } from '../server/input/input-required.ts';
export type { Secret } from '../server/input/request-state.ts';
export type { ErrorReport } from '../server/internals.ts';
export type { Limits } from '../server/limits/default-limits.ts';
export type { Log } from '../server/logging.ts';
export type {
  Middleware,
  MiddlewareContext,
  NamedParams,
  ParamsOf,
  RequestParams,
  ResourceParams,
  TypedRequest,
} from '../server/middleware-types.ts';
export type { McpServerOptions } from '../server/options.ts';
export { McpServer } from '../server/server.ts';
export type { ChangeBus, Resync } from '../store/change-bus.ts';

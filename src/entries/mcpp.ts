/** `mcpp`: messages, errors and content for servers and clients, and the main functions of both. */

export {
  ConnectionError,
  type ConnectionErrorCode,
  ErrorCode,
  isMcpError,
  McpError,
  ParseError,
  type ParseErrorCode,
  type ProcessEnd,
  RpcError,
} from '../jsonrpc/errors.ts';
export type { JsonLimits } from '../jsonrpc/json/message-limits.ts';
export { checkMessage, type Payload, parseMessage, parsePayload } from '../jsonrpc/json/parse-message.ts';
export { memoryPair } from '../jsonrpc/memory-transport.ts';
export {
  type ErrorObject,
  type ErrorResponse,
  type Id,
  isErrorResponse,
  isNotification,
  isRequest,
  isResponse,
  type Message,
  type Notification,
  type Params,
  type Request,
  type Response,
  type ResultResponse,
  serialize,
  serializeLine,
} from '../jsonrpc/message.ts';
export { printable } from '../jsonrpc/printable.ts';
export type { Receiver, SendOptions, Transport } from '../jsonrpc/transport.ts';
export { McpErrorCode, ToolError } from '../protocol/errors.ts';
export type { ExtensionDefinition } from '../protocol/extension-definition.ts';
export { isInputResponse } from '../protocol/input-responses.ts';
export type {
  ClientCapabilities,
  ClientCapabilityName,
  ServerCapabilities,
  Settings,
} from '../protocol/model/capabilities.ts';
export type { Change, SubscriptionFilter } from '../protocol/model/changes.ts';
export type { CompleteResult, Completion, CompletionReference } from '../protocol/model/completion.ts';
export type {
  Annotations,
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceContents,
  ResourceLink,
  Role,
  TextContent,
  TextResourceContents,
} from '../protocol/model/content.ts';
export type {
  ElicitField,
  ElicitForm,
  ElicitFormParams,
  ElicitResult,
  ElicitUrlParams,
} from '../protocol/model/elicitation.ts';
export type { Icon, Implementation } from '../protocol/model/implementation.ts';
export type { InputRequest, InputResponse } from '../protocol/model/input-requests.ts';
export type { LoggingLevel, LogMessage } from '../protocol/model/logging.ts';
export { type Meta, MetaKey, type Trace } from '../protocol/model/meta.ts';
export type { GetPromptResult, Prompt, PromptArgument, PromptMessage } from '../protocol/model/prompts.ts';
export type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/model/resources.ts';
export type { ListRootsResult, Root } from '../protocol/model/roots.ts';
export type {
  CreateMessageParams,
  CreateMessageResult,
  ModelPreferences,
  SamplingContent,
  SamplingMessage,
  ToolResultContent,
  ToolUseContent,
} from '../protocol/model/sampling.ts';
export type { CallToolResult, JsonSchemaObject, Tool, ToolAnnotations } from '../protocol/model/tools.ts';
export type { Principal } from '../protocol/principal.ts';
export { LATEST_VERSION, type ProtocolVersion } from '../protocol/revisions.ts';
export { audio, image, text } from '../server/features/content.ts';
export { defineTool } from '../server/features/tool-types.ts';
export { McpServer } from '../server/server.ts';
export { connect } from './client.ts';

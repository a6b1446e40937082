/** Errors of MCP: its error codes, and `ToolError`, whose message the model gets. */

import { ErrorCode, McpError, RpcError } from '../jsonrpc/errors.ts';
import type { ErrorObject } from '../jsonrpc/message.ts';
import { printable } from '../jsonrpc/printable.ts';
import { capabilityObject } from './capabilities.ts';
import type { ClientCapabilityName } from './model/capabilities.ts';
import type { RevisionFeatures } from './revisions.ts';

/** Error codes that MCP adds to those of JSON-RPC. */
export const McpErrorCode = {
  HeaderMismatch: -32020,
  MissingRequiredClientCapability: -32021,
  UnsupportedProtocolVersion: -32022,
  /** A resource does not exist. Used up to 2025-11-25; later revisions use -32602. */
  ResourceNotFound: -32002,
  /** The user must open a URL first. Used in 2025-11-25 only. */
  UrlElicitationRequired: -32042,
} as const;

/** An error for the model. If a tool throws it, its message is sent in a result with `isError: true`. */
export class ToolError extends McpError {
  override readonly name = 'ToolError';
  readonly code = 'tool-error';
}

/** Values of `RpcError.reason`: failures whose error code depends on the revision. */
export const Reason = {
  resourceNotFound: 'resource not found',
  missingCapability: 'missing capability',
  badArguments: 'bad arguments',
} as const;

/** Makes the error for a resource that does not exist or is hidden from the caller. */
export function resourceNotFound(uri: string): RpcError {
  const data = uri.length <= 1024 ? { uri } : undefined;
  return new RpcError(-32602, `Resource not found: ${printable(uri, 200)}`, data, { reason: Reason.resourceNotFound });
}

/** Makes the error for a client that did not declare a required capability. */
export function missingCapability(name: ClientCapabilityName): RpcError {
  const data = { requiredCapabilities: capabilityObject(name) };
  const message = `The client did not declare the capability "${name}", which this request requires`;
  const options = { reason: Reason.missingCapability };
  return new RpcError(McpErrorCode.MissingRequiredClientCapability, message, data, options);
}

/** Makes the error for arguments that do not match the input schema of a tool. */
export function badArguments(message: string): RpcError {
  return new RpcError(-32602, message, undefined, { reason: Reason.badArguments });
}

/** Makes the error for a protocol version that the server does not serve. */
export function unsupportedVersion(requested: string | undefined, supported: readonly string[]): RpcError {
  const data = requested === undefined ? { supported } : { supported, requested: requested.slice(0, 64) };
  const message = `Unsupported protocol version; supported: ${supported.join(', ')}`;
  return new RpcError(McpErrorCode.UnsupportedProtocolVersion, message, data);
}

// Error codes of stateful revisions that stateless revisions must not send, with their replacements.
const REPLACED: ReadonlyMap<number, number> = new Map([
  [McpErrorCode.ResourceNotFound, ErrorCode.InvalidParams],
  [McpErrorCode.UrlElicitationRequired, ErrorCode.InternalError],
]);

// Error codes of the reserved range that the protocol has defined.
const DEFINED: ReadonlySet<number> = new Set([
  McpErrorCode.HeaderMismatch,
  McpErrorCode.MissingRequiredClientCapability,
  McpErrorCode.UnsupportedProtocolVersion,
]);

/** Encodes an error of a handler in a revision. Invalid arguments of a tool may become a result with `isError`. */
export function encodeError(error: RpcError, features: RevisionFeatures): { error: ErrorObject } | { result: object } {
  const { message, data, reason } = error;
  if (reason === Reason.badArguments && features.badArguments === 'result') {
    return { result: { content: [{ type: 'text', text: message }], isError: true } };
  }
  const code = codeOf(error, features);
  return { error: data === undefined ? { code, message } : { code, message, data } };
}

function codeOf({ code, reason }: RpcError, features: RevisionFeatures): number {
  if (features.reservedErrorCodes) return REPLACED.get(code) ?? (isUndefined(code) ? ErrorCode.InternalError : code);
  if (reason === Reason.resourceNotFound) return features.resourceNotFound;
  return reason === Reason.missingCapability ? features.missingCapability : code;
}

// True for an error code of the reserved range that the protocol has not defined.
function isUndefined(code: number): boolean {
  return code <= -32020 && code >= -32099 && !DEFINED.has(code);
}

/** MCP error codes, `ToolError`, and the encoding of errors in each revision. */

import { ErrorCode, McpError, RpcError } from '../jsonrpc/errors.ts';
import type { ErrorObject } from '../jsonrpc/message.ts';
import { printable } from '../jsonrpc/printable.ts';
import { capabilityObject } from './capabilities.ts';
import type { ClientCapabilityName } from './model/capabilities.ts';
import type { RevisionFeatures } from './revisions.ts';

/** JSON-RPC error codes that MCP defines. */
export const McpErrorCode = {
  HeaderMismatch: -32020,
  MissingRequiredClientCapability: -32021,
  UnsupportedProtocolVersion: -32022,
  /** Sent for a resource that does not exist, in revisions up to 2025-11-25. Later revisions use -32602. */
  ResourceNotFound: -32002,
  /** Sent if the user must open a URL before the request can succeed. Only 2025-11-25 has this code. */
  UrlElicitationRequired: -32042,
} as const;

/** An error for the model. If a tool handler throws a `ToolError`, its message is sent in a result with `isError: true`. */
export class ToolError extends McpError {
  override readonly name = 'ToolError';
  readonly code = 'tool-error';
}

/** Values of `RpcError.reason`, for failures whose encoding depends on the revision. */
export const Reason = {
  resourceNotFound: 'resource not found',
  missingCapability: 'missing capability',
  badArguments: 'bad arguments',
} as const;

/** Returns the error for a resource that does not exist or that the caller may not see. */
export function resourceNotFound(uri: string): RpcError {
  const data = uri.length <= 1024 ? { uri } : undefined;
  return new RpcError(-32602, `Resource not found: ${printable(uri, 200)}`, data, { reason: Reason.resourceNotFound });
}

/** Returns the error for a request that requires a capability which the client did not declare. */
export function missingCapability(name: ClientCapabilityName): RpcError {
  const data = { requiredCapabilities: capabilityObject(name) };
  const message = `The client did not declare the capability "${name}", which this request requires`;
  const options = { reason: Reason.missingCapability };
  return new RpcError(McpErrorCode.MissingRequiredClientCapability, message, data, options);
}

export function badArguments(message: string): RpcError {
  return new RpcError(-32602, message, undefined, { reason: Reason.badArguments });
}

export function unsupportedVersion(requested: string | undefined, supported: readonly string[]): RpcError {
  const data = requested === undefined ? { supported } : { supported, requested: requested.slice(0, 64) };
  const message = `Unsupported protocol version; supported: ${supported.join(', ')}`;
  return new RpcError(McpErrorCode.UnsupportedProtocolVersion, message, data);
}

// Error codes of stateful revisions that must not be sent in stateless revisions, mapped to their replacements.
const REPLACED: ReadonlyMap<number, number> = new Map([
  [McpErrorCode.ResourceNotFound, ErrorCode.InvalidParams],
  [McpErrorCode.UrlElicitationRequired, ErrorCode.InternalError],
]);

// Error codes that the protocol defines within its reserved range, -32020 to -32099.
const DEFINED: ReadonlySet<number> = new Set([
  McpErrorCode.HeaderMismatch,
  McpErrorCode.MissingRequiredClientCapability,
  McpErrorCode.UnsupportedProtocolVersion,
]);

/** Encodes an error for a revision. In some revisions, invalid tool arguments become a result with `isError: true`. */
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

function isUndefined(code: number): boolean {
  return code <= -32020 && code >= -32099 && !DEFINED.has(code);
}

/** MCP's own errors: the ones the wire names, and the one a tool throws to speak to the model. */

import { McpError, RpcError } from '../jsonrpc/errors.ts';
import { printable } from '../jsonrpc/printable.ts';
import { capabilityObject } from './capabilities.ts';
import type { ClientCapabilityName } from './model/capabilities.ts';

/** The codes MCP adds to JSON-RPC's. */
export const McpErrorCode = {
  HeaderMismatch: -32020,
  MissingRequiredClientCapability: -32021,
  UnsupportedProtocolVersion: -32022,
  /** Up to 2025-11-25; later revisions say -32602. */
  ResourceNotFound: -32002,
  /** 2025-11-25 only. */
  UrlElicitationRequired: -32042,
} as const;

/** A tool cannot do its job, and the model should read why: the text becomes a result with `isError`. */
export class ToolError extends McpError {
  override readonly name = 'ToolError';
  readonly code = 'tool-error';
}

/** Reasons whose number depends on the revision. */
export const Reason = {
  resourceNotFound: 'resource not found',
  missingCapability: 'missing capability',
  badArguments: 'bad arguments',
} as const;

/** The resource does not exist, or not for this caller. */
export function resourceNotFound(uri: string): RpcError {
  const data = uri.length <= 1024 ? { uri } : undefined;
  return new RpcError(-32602, `Resource not found: ${printable(uri, 200)}`, data, { reason: Reason.resourceNotFound });
}

/** The client did not declare what the handler needs. */
export function missingCapability(name: ClientCapabilityName): RpcError {
  const data = { requiredCapabilities: capabilityObject(name) };
  const message = `The client did not declare the capability "${name}", which this request needs`;
  return new RpcError(McpErrorCode.MissingRequiredClientCapability, message, data, {
    reason: Reason.missingCapability,
  });
}

/** A tool was called with arguments its schema refuses. */
export function badArguments(message: string): RpcError {
  return new RpcError(-32602, message, undefined, { reason: Reason.badArguments });
}

/** The request names a revision that is not served here. */
export function unsupportedVersion(requested: string | undefined, supported: readonly string[]): RpcError {
  const data = requested === undefined ? { supported } : { supported, requested: requested.slice(0, 64) };
  return new RpcError(
    McpErrorCode.UnsupportedProtocolVersion,
    `Unsupported protocol version; supported: ${supported.join(', ')}`,
    data,
  );
}

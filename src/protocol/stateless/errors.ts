/** Encodes errors with the codes of stateless revisions. */

import { ErrorCode, type RpcError } from '../../jsonrpc/errors.ts';
import type { ErrorObject } from '../../jsonrpc/message.ts';
import { McpErrorCode, Reason } from '../errors.ts';

// Codes of stateful revisions, which stateless ones must not send, with their replacements.
const RENUMBERED: ReadonlyMap<number, number> = new Map([
  [McpErrorCode.ResourceNotFound, ErrorCode.InvalidParams],
  [McpErrorCode.UrlElicitationRequired, ErrorCode.InternalError],
]);

const DEFINED: ReadonlySet<number> = new Set([
  McpErrorCode.HeaderMismatch,
  McpErrorCode.MissingRequiredClientCapability,
  McpErrorCode.UnsupportedProtocolVersion,
]);

/** Encodes an error of a handler. Invalid arguments of a tool become a result with `isError`. */
export function encodeError({ code, message, data, reason }: RpcError): { error: ErrorObject } | { result: object } {
  if (reason === Reason.badArguments) return { result: { content: [{ type: 'text', text: message }], isError: true } };
  const number = RENUMBERED.get(code) ?? (isReserved(code) ? ErrorCode.InternalError : code);
  return { error: data === undefined ? { code: number, message } : { code: number, message, data } };
}

// The protocol reserves this range and has defined three codes of it.
function isReserved(code: number): boolean {
  return code <= -32020 && code >= -32099 && !DEFINED.has(code);
}

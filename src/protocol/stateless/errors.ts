/** Errors in this revision's numbers. */

import { ErrorCode, type RpcError } from '../../jsonrpc/errors.ts';
import type { ErrorObject } from '../../jsonrpc/message.ts';
import { McpErrorCode, Reason } from '../errors.ts';

// Codes of older revisions that must not be sent any more, with what they are called now.
const RENUMBERED: ReadonlyMap<number, number> = new Map([
  [McpErrorCode.ResourceNotFound, ErrorCode.InvalidParams],
  [McpErrorCode.UrlElicitationRequired, ErrorCode.InternalError],
]);

const DEFINED: ReadonlySet<number> = new Set([
  McpErrorCode.HeaderMismatch,
  McpErrorCode.MissingRequiredClientCapability,
  McpErrorCode.UnsupportedProtocolVersion,
]);

/** What a handler threw, as this revision tells it. */
export function encodeError({ code, message, data, reason }: RpcError): { error: ErrorObject } | { result: object } {
  if (reason === Reason.badArguments) return { result: { content: [{ type: 'text', text: message }], isError: true } };
  const number = RENUMBERED.get(code) ?? (isReserved(code) ? ErrorCode.InternalError : code);
  return { error: data === undefined ? { code: number, message } : { code: number, message, data } };
}

// The protocol keeps these for itself, and has given a meaning to three of them.
function isReserved(code: number): boolean {
  return code <= -32020 && code >= -32099 && !DEFINED.has(code);
}

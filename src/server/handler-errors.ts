/** Maps thrown values to responses. `RpcError` and `ToolError` are sent. Others go to `onError`; clients get a reference. */

import { isMcpError, RpcError } from '../jsonrpc/errors.ts';
import type { ErrorObject } from '../jsonrpc/message.ts';
import { printable } from '../jsonrpc/printable.ts';
import type { CallToolResult } from '../protocol/model/tools.ts';
import { WrongReturn } from './features/tool-result.ts';
import { isSuspension } from './input/input-required.ts';
import { MAX_ERROR_MESSAGE } from './limits/limits.ts';
import type { RequestContext } from './request-context.ts';

/** The result or the error of a response. */
export type HandlerOutcome = { readonly result: object } | { readonly error: ErrorObject };

/** Converts an error of a tool handler or of middleware to a result with `isError`. Rethrows an `RpcError`. */
export function toolFailure(error: unknown, ctx: RequestContext): CallToolResult {
  if (isSuspension(error)) throw error;
  if (isToolError(error)) return { content: [{ type: 'text', text: error.message }], isError: true };
  // The error of a suspended handler is irrelevant: it runs again.
  if (isRpcError(error) || (ctx.usesJournal && ctx.inputRequests.isSuspended)) throw error;
  return { content: [{ type: 'text', text: textOf(error, ctx) }], isError: true };
}

/** Encodes a thrown value in the request's revision: an error, or a result for some errors of tools. Never throws. */
export function encodeError(ctx: RequestContext, error: unknown): HandlerOutcome {
  const { row, wire, encodingHints: about, server } = ctx;
  const failure = wire.encodeError(toRpcError(error, ctx));
  return 'error' in failure ? failure : { result: wire.encodeResult(row, failure.result, about, server.serverInfo) };
}

// Reading the members of a thrown object may throw.
function toRpcError(error: unknown, ctx: RequestContext): RpcError {
  try {
    if (isRpcError(error)) return error;
    return RpcError.internal(isToolError(error) ? error.message : textOf(error, ctx));
  } catch {
    return RpcError.internal();
  }
}

function isToolError(error: unknown): error is Error {
  return isMcpError(error) && error.code === 'tool-error';
}

function isRpcError(error: unknown): error is RpcError {
  return isMcpError(error) && error.name === 'RpcError';
}

/** Entries for which `onError` has got the hint. */
const hinted = new WeakSet<object>();

// Messages of unexpected errors may contain paths, hosts and passwords, so they are sent only with `errors: 'messages'`.
function textOf(error: unknown, ctx: RequestContext): string {
  const { entry, method, server } = ctx;
  const isWrongReturn = error instanceof WrongReturn;
  const message = !isWrongReturn && (entry?.errors ?? server.errors) === 'messages' ? messageOf(error) : undefined;
  const reference = message === undefined ? crypto.randomUUID().slice(0, 8) : undefined;
  // Errors after a cancellation are expected.
  if (!ctx.exchange.cancelled) {
    const isFirst = !isWrongReturn && message === undefined && entry !== undefined && !hinted.has(entry);
    if (isFirst) hinted.add(entry);
    server.report(error, { method, name: nameOf(ctx), reference, ...(isFirst ? { hint: HINT } : {}) });
  }
  return message ?? `Internal error (reference ${reference})`;
}

const HINT =
  "The client got only the reference. Throw new ToolError('...') to send a text to the model, or set " +
  "errors: 'messages' (on the server, or on this tool, prompt or resource) to send the messages of plain errors.";

function nameOf({ entry, params: { name, uri } }: RequestContext): string | undefined {
  return typeof name === 'string' ? name : typeof uri === 'string' ? uri : entry?.key;
}

// Reading the message of a thrown value may throw.
function messageOf(error: unknown): string | undefined {
  try {
    const message = typeof error === 'string' ? error : error instanceof Error ? error.message : undefined;
    if (typeof message !== 'string' || message === '') return undefined;
    const lines = message.slice(0, MAX_ERROR_MESSAGE).split('\n');
    const text = lines.map((line) => printable(line, MAX_ERROR_MESSAGE)).join('\n');
    return message.length > MAX_ERROR_MESSAGE ? `${text}...` : text;
  } catch {
    return undefined;
  }
}

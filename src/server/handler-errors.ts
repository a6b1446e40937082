/** Converts thrown values to responses. `RpcError` and `ToolError` are sent; others go to `onError`, and clients get a reference. */

import { isMcpError, RpcError } from '../jsonrpc/errors.ts';
import type { ErrorObject } from '../jsonrpc/message.ts';
import { printable } from '../jsonrpc/printable.ts';
import type { CallToolResult } from '../protocol/model/tools.ts';
import { WrongReturn } from './features/tool-result.ts';
import { isSuspension } from './input/input-required.ts';
import { MAX_ERROR_MESSAGE } from './limits/limits.ts';
import type { RequestContext } from './request-context.ts';

/** The result or the error of a handler, encoded for the response. */
export type HandlerOutcome = { readonly result: object } | { readonly error: ErrorObject };

/** Converts an error of a tool handler or of middleware to a result with `isError`. Rethrows an `RpcError` and a `Suspension`. */
export function toolFailure(error: unknown, ctx: RequestContext): CallToolResult {
  if (isSuspension(error)) throw error;
  if (isToolError(error)) return { content: [{ type: 'text', text: error.message }], isError: true };
  // A suspended handler runs again after the input response, so the error of this run does not become a result.
  if (isRpcError(error) || (ctx.usesJournal && ctx.inputRequests.isSuspended)) throw error;
  return { content: [{ type: 'text', text: textOf(error, ctx) }], isError: true };
}

/** Encodes a thrown value for the request's revision: as an error, or as a result where the revision requires one. Never throws. */
export function encodeError(ctx: RequestContext, error: unknown): HandlerOutcome {
  const { row, wire, encodingHints: about, server } = ctx;
  const failure = wire.encodeError(toRpcError(error, ctx));
  return 'error' in failure ? failure : { result: wire.encodeResult(row, failure.result, about, server.serverInfo) };
}

// A getter of a thrown object may throw, too: the client then gets an error without details.
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

/** Entries whose first hidden error was passed to `onError` with `HINT`: later ones come without it. */
const hinted = new WeakSet<object>();

// Returns the client's text for an unexpected error, and passes the error to `onError`. Its message may contain paths,
// hosts and passwords, so it is sent only with `errors: 'messages'`; else the text is a random reference.
function textOf(error: unknown, ctx: RequestContext): string {
  const { entry, method, server } = ctx;
  const isWrongReturn = error instanceof WrongReturn;
  const message = !isWrongReturn && (entry?.errors ?? server.errors) === 'messages' ? messageOf(error) : undefined;
  const reference = message === undefined ? crypto.randomUUID().slice(0, 8) : undefined;
  // Aborted handlers throw, as they should: errors after a cancellation are not reported.
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

// Returns the message of a thrown value, cut and printable; undefined if it has none, or if its getter throws.
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

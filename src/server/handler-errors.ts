/** Converts errors of handlers to responses, and passes unexpected errors to `onError`. */

import { isMcpError, RpcError } from '../jsonrpc/errors.ts';
import type { ErrorObject } from '../jsonrpc/message.ts';
import { printableLines } from '../jsonrpc/printable.ts';
import type { CallToolResult } from '../protocol/model/tools.ts';
import { WrongReturn } from './features/tool-result.ts';
import { isSuspension } from './input/input-required.ts';
import { MAX_ERROR_MESSAGE } from './limits/default-limits.ts';
import type { RequestContext } from './request-context.ts';

export type HandlerOutcome = { readonly result: object } | { readonly error: ErrorObject };

/** Converts an error of a tool handler or of middleware to a result with `isError`. Rethrows `RpcError` and `Suspension`. */
export function toolFailure(error: unknown, ctx: RequestContext): CallToolResult {
  if (isSuspension(error)) throw error;
  if (isToolError(error)) return { content: [{ type: 'text', text: error.message }], isError: true };
  // The error of a suspended run does not become a result, because the handler runs again after the input response.
  if (isRpcError(error) || (ctx.usesJournal && ctx.inputRequests.isSuspended)) throw error;
  return { content: [{ type: 'text', text: textOf(error, ctx) }], isError: true };
}

/** Encodes a thrown value as an error response, or as a result with `isError` if the revision requires that. Never throws. */
export function encodeError(ctx: RequestContext, error: unknown): HandlerOutcome {
  const { row, wire, encodingHints: about, server } = ctx;
  const failure = wire.encodeError(toRpcError(error, ctx));
  return 'error' in failure ? failure : { result: wire.encodeResult(row, failure.result, about, server.serverInfo) };
}

// Getters of a thrown object can throw, too. The client then gets an error without details.
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

/** Tools, prompts and resources with an error whose message was hidden. `onError` gets the text `HINT` once for each. */
const hinted = new WeakSet<object>();

// Passes an unexpected error to `onError` and returns the text for the client: a random reference, or the error's message with
// `errors: 'messages'`. Messages are hidden by default, because they can contain paths, hosts and passwords.
function textOf(error: unknown, ctx: RequestContext): string {
  const { entry, method, server } = ctx;
  const isWrongReturn = error instanceof WrongReturn;
  const message = !isWrongReturn && (entry?.errors ?? server.errors) === 'messages' ? messageOf(error) : undefined;
  const reference = message === undefined ? crypto.randomUUID().slice(0, 8) : undefined;
  // Errors after a cancellation are not reported, because handlers are expected to throw when their signal aborts.
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

// Returns the message of a thrown value, control characters escaped and length limited; undefined if empty or unreadable.
function messageOf(error: unknown): string | undefined {
  try {
    const message = typeof error === 'string' ? error : error instanceof Error ? error.message : undefined;
    if (typeof message !== 'string' || message === '') return undefined;
    const text = printableLines(message.slice(0, MAX_ERROR_MESSAGE));
    return message.length > MAX_ERROR_MESSAGE ? `${text}...` : text;
  } catch {
    return undefined;
  }
}

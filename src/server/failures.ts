/** Errors of handlers on their way to the client: what they said on purpose, a message, or only a reference. */

import { isMcpError, RpcError } from '../jsonrpc/errors.ts';
import { printable } from '../jsonrpc/printable.ts';
import type { CallToolResult } from '../protocol/model/tools.ts';
import type { RequestContext } from './context.ts';
import { chain, type Maybe } from './maybe.ts';
import { WrongReturn } from './returned.ts';
import { isSuspension } from './suspension.ts';

/** Characters of a plain error's message that are sent. */
const MAX_MESSAGE = 2000;

/** What a tool, or a middleware around it, threw: an error to the program, or a result that tells the model. */
export function toolFailure(error: unknown, ctx: RequestContext): Maybe<CallToolResult> {
  if (isSuspension(error)) throw error;
  if (isToolError(error)) return { content: [{ type: 'text', text: error.message }], isError: true };
  if (isRpcError(error)) throw error;
  const told = (): CallToolResult => ({ content: [{ type: 'text', text: textOf(error, ctx) }], isError: true });
  if (!ctx.hasAsked) return told();
  return chain(ctx.questions, ({ isSuspended }) => {
    // What a handler makes of its own suspension is no fault: the run is repeated.
    if (isSuspended) throw error;
    return told();
  });
}

/** What any other handler threw, as an error that may leave. */
export function rpcFailure(error: unknown, ctx: RequestContext): RpcError {
  if (isRpcError(error)) return error;
  if (isToolError(error)) return RpcError.internal(error.message);
  return RpcError.internal(textOf(error, ctx));
}

function isToolError(error: unknown): error is Error {
  return isMcpError(error) && error.code === 'tool-error';
}

function isRpcError(error: unknown): error is RpcError {
  return isMcpError(error) && error.name === 'RpcError';
}

/** Tools, prompts and resources whose author was told how to show errors. */
const hinted = new WeakSet<object>();

// Messages of unforeseen errors hold paths, hosts and passwords, so they are sent only if the author says so.
function textOf(error: unknown, ctx: RequestContext): string {
  const { entry, method, parts } = ctx;
  const isOwn = error instanceof WrongReturn;
  const message = !isOwn && (entry?.errors ?? parts.errors) === 'messages' ? messageOf(error) : undefined;
  const reference = message === undefined ? crypto.randomUUID().slice(0, 8) : undefined;
  // What a handler makes of its cancellation is no fault.
  if (!ctx.exchange.cancelled) {
    const isFirst = !isOwn && message === undefined && entry !== undefined && !hinted.has(entry);
    if (isFirst) hinted.add(entry);
    parts.report(error, { method, name: nameOf(ctx), reference, ...(isFirst ? { hint: HINT } : {}) });
  }
  return message ?? `Internal error (reference ${reference})`;
}

const HINT =
  "The client was told only the reference. Throw new ToolError('...') to show a text to the model, or set " +
  "errors: 'messages' (on the server, or on this tool, prompt or resource) to send the messages of plain errors.";

function nameOf({ entry, params: { name, uri } }: RequestContext): string | undefined {
  return typeof name === 'string' ? name : typeof uri === 'string' ? uri : entry?.key;
}

// Whatever is thrown, looking at it must not throw.
function messageOf(error: unknown): string | undefined {
  try {
    const message = typeof error === 'string' ? error : error instanceof Error ? error.message : undefined;
    if (typeof message !== 'string' || message === '') return undefined;
    const lines = message.slice(0, MAX_MESSAGE).split('\n');
    const text = lines.map((line) => printable(line, MAX_MESSAGE)).join('\n');
    return message.length > MAX_MESSAGE ? `${text}...` : text;
  } catch {
    return undefined;
  }
}

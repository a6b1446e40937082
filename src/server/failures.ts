/** Errors on their way out: what was said on purpose passes, what was not stays here and leaves a reference behind. */

import { isMcpError, RpcError } from '../jsonrpc/errors.ts';
import type { CallToolResult } from '../protocol/model/tools.ts';
import type { RequestContext } from './context.ts';
import { chain, type Maybe } from './maybe.ts';
import { isSuspension } from './suspension.ts';

/** What a tool threw: an error to the program, or a result that tells the model. */
export function toolFailure(error: unknown, ctx: RequestContext, name: string): Maybe<CallToolResult> {
  if (isSuspension(error)) throw error;
  if (isToolError(error)) return { content: [{ type: 'text', text: error.message }], isError: true };
  if (isRpcError(error)) throw error;
  const hidden = (): CallToolResult => ({ content: [{ type: 'text', text: hide(error, ctx, name) }], isError: true });
  if (!ctx.hasAsked) return hidden();
  return chain(ctx.questions, ({ isSuspended }) => {
    // What a handler makes of its own suspension is no fault: the run is repeated.
    if (isSuspended) throw error;
    return hidden();
  });
}

/** What any other handler threw, as an error that may leave. */
export function rpcFailure(error: unknown, ctx: RequestContext): RpcError {
  if (isRpcError(error)) return error;
  if (isToolError(error)) return RpcError.internal(error.message);
  const { name, uri } = ctx.params;
  return RpcError.internal(
    hide(error, ctx, typeof name === 'string' ? name : typeof uri === 'string' ? uri : undefined),
  );
}

function isToolError(error: unknown): error is Error {
  return isMcpError(error) && error.code === 'tool-error';
}

function isRpcError(error: unknown): error is RpcError {
  return isMcpError(error) && error.name === 'RpcError';
}

// Texts of unforeseen errors hold paths, hosts and passwords: the client gets a reference to find them by.
function hide(error: unknown, ctx: RequestContext, name: string | undefined): string {
  const reference = crypto.randomUUID().slice(0, 8);
  // What a handler makes of its cancellation is no fault.
  if (!ctx.exchange.cancelled) ctx.parts.report(error, { method: ctx.method, name, reference });
  return `Internal error (reference ${reference})`;
}

/** `callToolAsTask` and `resumeTask`: tool calls whose results are fetched later. */

import type {
  Connection,
  ExtensionConnection,
  OutputOf,
  RawResult,
  RequestOptions,
  ToolArguments,
  ToolName,
} from '../../../entries/client.ts';
import { ConnectionError, ErrorCode, type Params, RpcError } from '../../../entries/mcpp.ts';
import { nameOfCall } from './followed.ts';
import { formIn, formOf, takesTasks } from './form.ts';
import { TaskHandle } from './handle.ts';
import { readSavedTask } from './saved-task.ts';

/** Options of `callToolAsTask`, for the request `tools/call`. Aborting `signal` does not cancel a task that was created. */
export interface TaskCallOptions extends RequestOptions {
  /** Lifetime to request for the task, in milliseconds. Sent only in revision 2025-11-25. Default: the server decides. */
  readonly ttlMs?: number | undefined;
}

/** Arguments of `callToolAsTask` after the name of the tool: the same as for `callTool`, but with `TaskCallOptions`. */
export type TaskArguments<Tools, Name> =
  ToolArguments<Tools, Name> extends infer Rest extends [args?: unknown, options?: RequestOptions]
    ? [] extends Rest
      ? [args?: Rest[0], options?: TaskCallOptions]
      : [args: Rest[0], options?: TaskCallOptions]
    : never;

/**
 * Calls a tool. Resolves when the server has created a task, after any input requests that precede the task. If the server
 * responds with the result instead of a task, the handle already has the result.
 */
export async function callToolAsTask<Tools, Name extends ToolName<Tools>>(
  connection: Connection<Tools>,
  name: Name,
  ...[args, options = {}]: TaskArguments<Tools, Name>
): Promise<TaskHandle<OutputOf<Tools, Name>>> {
  const { ttlMs, ...own } = options;
  const { timeout, headers, meta } = own;
  const params = args === undefined ? { name } : { name, arguments: args };
  const wish = ttlMs === undefined ? {} : { ttl: ttlMs };
  const { resultType, result } = await outcomeOf(connection, params, wish, own);
  const made = { revision: connection.revision, tool: name };
  if (resultType === 'complete') return new TaskHandle(connection, { ...made, result });
  const task = formOf(connection).created(result, nameOfCall(name));
  return new TaskHandle(connection, { ...made, task }, { timeout, headers, meta }, Date.now());
}

/**
 * Creates a handle from the parsed output of `JSON.stringify(handle)`, for a connection to the same server, and sends nothing.
 * Throws if `saved` is malformed, or if the connection has another revision than the call.
 */
export function resumeTask<Output = unknown>(peer: ExtensionConnection, saved: unknown): TaskHandle<Output> {
  const read = readSavedTask(saved);
  const { revision } = peer;
  if (read.revision !== revision) {
    const instead = `connect with { revision: '${read.revision}' }`;
    throw new ConnectionError(
      'refused',
      `The task was made in revision ${read.revision}, this connection speaks ${revision}: ${instead}`,
    );
  }
  return new TaskHandle(peer, read);
}

// In 2025-11-25, tools without task support refuse the parameter `task` with -32601, and are then called without `task`.
async function outcomeOf(
  peer: ExtensionConnection,
  params: Params,
  wish: Params,
  options: RequestOptions,
): Promise<RawResult> {
  const isAskedFor = formIn(peer.revision)?.wantedBy === 'caller' && takesTasks(peer);
  if (!isAskedFor) return peer.requestRaw('tools/call', params, options);
  try {
    return await peer.requestRaw('tools/call', { ...params, task: wish }, options);
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== ErrorCode.MethodNotFound) throw error;
    return peer.requestRaw('tools/call', params, options);
  }
}

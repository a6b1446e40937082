/** Calls of tools whose callers do not wait for the result, and calls that are gone on with later. */

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

/** Options of `callToolAsTask`: those of the call that begins it. `signal` does not end the task, once there is one. */
export interface TaskCallOptions extends RequestOptions {
  /** Milliseconds for which the server should keep the task. Only 2025-11-25 lets clients wish for it. */
  readonly ttlMs?: number | undefined;
}

/** What is given after the name: arguments as `callTool` takes them, and options. */
export type TaskArguments<Tools, Name> =
  ToolArguments<Tools, Name> extends infer Rest extends [args?: unknown, options?: RequestOptions]
    ? [] extends Rest
      ? [args?: Rest[0], options?: TaskCallOptions]
      : [args: Rest[0], options?: TaskCallOptions]
    : never;

/**
 * Calls a tool without waiting for its result: resolves as soon as the server has made a task of the call, and what it
 * asked before that is answered. A server that makes no task of it answers as always; then the handle has the result.
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
 * Goes on with a call that `JSON.stringify(handle)` kept, over a connection to the same server in the same revision.
 * Nothing is sent until something is asked of the handle.
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

// Where a task has to be asked for, a tool that is never one refuses that: it is called as always then.
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

/** Client hooks of the tasks extension: a call that became a task resolves to the result of the task. */

import type { ClientHooks, ExtensionCall, ExtensionConnection, ResultResolver } from '../../../entries/client.ts';
import { ErrorCode, type Params, type RpcError } from '../../../entries/mcpp.ts';
import { type DetailedTask, isFinal } from '../task.ts';
import { follow } from './follow.ts';
import type { Followed } from './followed.ts';
import { formIn, formOf, takesTasks } from './form.ts';

/** Options of `tasks` for clients. */
export interface TasksClientOptions {
  /** Called with the task of a call, on creation and after each poll. An exception rejects the call and cancels the task. */
  readonly onTask?: ((task: DetailedTask, call: Pick<ExtensionCall, 'method' | 'params'>) => void) | undefined;
}

const CANCEL_TIMEOUT = 10_000;

export function clientSide({ onTask }: TasksClientOptions = {}): ClientHooks {
  return { resultTypes: { task: finisher(onTask) }, retry: askForTask };
}

/** Returns a function that waits for the result of a task, and cancels the task if the call is aborted or fails. */
function finisher(onTask: TasksClientOptions['onTask']): ResultResolver {
  return async (result, call, peer) => {
    const { signal, label: what, options } = call;
    const { timeout, headers, meta } = options;
    const form = formOf(peer);
    let task: DetailedTask = form.created(result, what);
    const followed: Followed = {
      peer,
      form,
      task,
      seenAt: Date.now(),
      what,
      options: { timeout, headers, meta },
      signal,
      answered: new Set(),
      onTask: (seen) => {
        task = seen;
        onTask?.(seen, call);
      },
    };
    // On abort, `tasks/cancel` is sent immediately, because the caller can close the connection next.
    const onAbort = (): void => cancel(followed);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      onTask?.(task, call);
      return await follow(followed);
    } catch (error) {
      if (!signal.aborted && !isFinal(task.status)) cancel(followed);
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  };
}

// A handler can fail with -32601 too, and a retry would repeat its side effects. Refusals have "task" in the message.
const OF_TASKS = /\btask/i;

/** Returns params with `task` for a retry, if a tool of 2025-11-25 refused the call without `task` (-32601); else undefined. */
export function askForTask(
  error: RpcError,
  { method, params }: Pick<ExtensionCall, 'method' | 'params'>,
  peer: ExtensionConnection,
): Params | undefined {
  const isRefused = error.code === ErrorCode.MethodNotFound && OF_TASKS.test(error.message);
  const isPlain = method === 'tools/call' && params['task'] === undefined;
  const isPossible = formIn(peer.revision)?.wantedBy === 'caller' && takesTasks(peer);
  return isRefused && isPlain && isPossible ? { ...params, task: {} } : undefined;
}

// Errors are ignored, because the caller no longer waits for the task.
function cancel(followed: Followed): void {
  const {
    peer,
    task: { taskId },
    options,
  } = followed;
  const once = { ...options, timeout: CANCEL_TIMEOUT, maxTimeout: CANCEL_TIMEOUT, idempotent: true };
  peer.request('tasks/cancel', { taskId }, once).catch(() => {});
}

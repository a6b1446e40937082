/** What the tasks extension does in a client: calls wait for their tasks, so that callers need not know of them. */

import type { ClientHooks, ExtensionCall, ExtensionConnection, ResultResolver } from '../../../entries/client.ts';
import { ErrorCode, type Params, type RpcError } from '../../../entries/mcpp.ts';
import { type DetailedTask, isFinal } from '../task.ts';
import { follow } from './follow.ts';
import type { Followed } from './followed.ts';
import { formIn, formOf, takesTasks } from './form.ts';

/** Options of the tasks extension in a client. */
export interface TasksClientOptions {
  /**
   * Is told of every task that a call became, and how it stands whenever it was looked at. What it throws ends the call.
   */
  readonly onTask?: ((task: DetailedTask, call: Pick<ExtensionCall, 'method' | 'params'>) => void) | undefined;
}

const CANCEL_TIMEOUT = 10_000;

/** The client's part of the tasks extension. */
export function clientSide({ onTask }: TasksClientOptions = {}): ClientHooks {
  return { resultTypes: { task: finisher(onTask) }, retry: askForTask };
}

/** Waits for the task that a call became. If there will be no result for the caller, the task is cancelled. */
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
    // At once, because a caller that gives up may close the connection next.
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

// A handler may give this error, too, of something it could not do itself: then a second call would do the rest twice.
const OF_TASKS = /\btask/i;

/**
 * For a call that was refused: the params to make it with once more, if that was because the tool is only called as a
 * task. Where tasks have to be asked for, such a tool says so by refusing.
 */
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

// Nobody waits for it: what becomes of the task is of no interest any more.
function cancel(followed: Followed): void {
  const {
    peer,
    task: { taskId },
    options,
  } = followed;
  const once = { ...options, timeout: CANCEL_TIMEOUT, maxTimeout: CANCEL_TIMEOUT, idempotent: true };
  peer.request('tasks/cancel', { taskId }, once).catch(() => {});
}

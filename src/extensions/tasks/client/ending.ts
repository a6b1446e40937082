/** Outcome of a final task, for the call that waits for the task. */

import { ConnectionError, printable, RpcError } from '../../../entries/mcpp.ts';
import type { DetailedTask } from '../task.ts';
import type { Waiting } from './followed.ts';

/** Settles the wait for a task whose final state contains the result or error. */
export function settle({ result, error, ...task }: DetailedTask, waiting: Waiting, what: string): void {
  if (result) waiting.resolve({ ...result });
  else if (error) waiting.reject(RpcError.from(error));
  else waiting.reject(cancelled(task, what));
}

export function cancelled({ statusMessage }: DetailedTask, what: string): ConnectionError {
  const why = statusMessage === undefined ? '' : `: ${printable(statusMessage)}`;
  return new ConnectionError('failed', `${what}: the task was cancelled before there was a result${why}`);
}

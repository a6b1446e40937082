/** What a final task gives: a result, or the reason why there is none. */

import { ConnectionError, printable, RpcError } from '../../../entries/mcpp.ts';
import type { DetailedTask } from '../task.ts';
import type { Waiting } from './followed.ts';

/** Settles the waiting for a task that has its outcome within itself. */
export function settle({ result, error, ...task }: DetailedTask, waiting: Waiting, what: string): void {
  if (result) waiting.resolve({ ...result });
  else if (error) waiting.reject(RpcError.from(error));
  else waiting.reject(cancelled(task, what));
}

/** The error of a task that was cancelled. */
export function cancelled({ statusMessage }: DetailedTask, what: string): ConnectionError {
  const why = statusMessage === undefined ? '' : `: ${printable(statusMessage)}`;
  return new ConnectionError('failed', `${what}: the task was cancelled before there was a result${why}`);
}

/** The task that a call waits for, and the requests that are sent about the task. */

import type { ExtensionConnection, RequestOptions } from '../../../entries/client.ts';
import { ConnectionError, type Params } from '../../../entries/mcpp.ts';
import type { DetailedTask } from '../task.ts';
import type { TaskForm } from './form.ts';

export interface Followed {
  readonly peer: ExtensionConnection;
  readonly form: TaskForm;
  /** State of the task when the wait begins. */
  readonly task: DetailedTask;
  /** Time at which the server sent `task`, in milliseconds since 1970. Undefined if unknown. */
  readonly seenAt: number | undefined;
  /** Name of the call in error messages. */
  readonly what: string;
  /** Options for all requests about the task. */
  readonly options: CommonOptions;
  /** Ends the wait when aborted. Does not cancel the task. */
  readonly signal: AbortSignal;
  /** Keys of all input requests of the task that were answered, including those before a `resumeTask`. */
  readonly answered: Set<string>;
  /** Called with the state of the task after each poll. */
  onTask(task: DetailedTask): void;
}

/** Options of a tool call that also apply to the requests about its task. */
export type CommonOptions = Pick<RequestOptions, 'timeout' | 'headers' | 'meta'>;

/** Functions that settle the wait for a task. */
export interface Waiting {
  /** Aborts when the wait is over. */
  readonly signal: AbortSignal;
  resolve(result: Record<string, unknown>): void;
  reject(error: unknown): void;
}

/** Handles a state of the task: responds to input requests, or settles the wait. Called after each poll. */
export type Attend = (task: DetailedTask) => void;

// Maximum timeout of requests about tasks, in milliseconds. Servers respond without delay, so a later response is lost.
const LONGEST_TIMEOUT = 60_000;

/** Sends an idempotent request about a task, such as `tasks/get` or `tasks/update`. */
export function askAbout(
  { peer, task, options }: Pick<Followed, 'peer' | 'task' | 'options'>,
  method: string,
  more: Params,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const timeout = Math.min(options.timeout ?? LONGEST_TIMEOUT, LONGEST_TIMEOUT);
  return peer.request(method, { taskId: task.taskId, ...more }, { ...options, timeout, idempotent: true, signal });
}

/** Returns the error for an aborted wait: the `ConnectionError` of a connection that ended, or one with the code `aborted`. */
export function reasonOf(signal: AbortSignal, what: string): Error {
  const { reason } = signal;
  if (reason instanceof ConnectionError) return reason;
  return new ConnectionError('aborted', `${what} was aborted by the caller`, { cause: reason });
}

/** Returns the name of a tool call for error messages, with at most 128 characters of the tool's name. */
export function nameOfCall(tool: string): string {
  return `tools/call ${JSON.stringify(tool.length <= 128 ? tool : `${tool.slice(0, 128)}...`)}`;
}

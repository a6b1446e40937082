/** A task that somebody waits for, and the requests that are made for it. */

import type { ExtensionConnection, RequestOptions } from '../../../entries/client.ts';
import { ConnectionError, type Params } from '../../../entries/mcpp.ts';
import type { DetailedTask } from '../task.ts';
import type { TaskForm } from './form.ts';

/** A task that somebody waits for. */
export interface Followed {
  readonly peer: ExtensionConnection;
  readonly form: TaskForm;
  /** As it was last seen. */
  readonly task: DetailedTask;
  /** When that was, in milliseconds since 1970. Undefined if nobody knows. */
  readonly seenAt: number | undefined;
  /** How errors name it. */
  readonly what: string;
  /** What the requests made for it have in common. */
  readonly options: CommonOptions;
  /** Ends the waiting; the task is left as it is. */
  readonly signal: AbortSignal;
  /** The keys of the questions that were answered, over the whole life of the task. */
  readonly answered: Set<string>;
  /** Is told how the task stands with each look at it. */
  onTask(task: DetailedTask): void;
}

/** What the caller of a tool may say about the requests that are made on the way. */
export type CommonOptions = Pick<RequestOptions, 'timeout' | 'headers' | 'meta'>;

/** Settles the waiting. */
export interface Waiting {
  /** Aborted as soon as it is over. */
  readonly signal: AbortSignal;
  resolve(result: Record<string, unknown>): void;
  reject(error: unknown): void;
}

/** Sees to what a task needs. Called with each look at it. */
export type Attend = (task: DetailedTask) => void;

// What such a request asks is known at once: an answer that takes longer is lost.
const LONGEST_TIMEOUT = 60_000;

/** Asks something about a task, which does no harm if it is asked twice. */
export function askAbout(
  { peer, task, options }: Pick<Followed, 'peer' | 'task' | 'options'>,
  method: string,
  more: Params,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const timeout = Math.min(options.timeout ?? LONGEST_TIMEOUT, LONGEST_TIMEOUT);
  return peer.request(method, { taskId: task.taskId, ...more }, { ...options, timeout, idempotent: true, signal });
}

/** Why a signal ended the waiting. A connection that ends aborts with its own error, which says more. */
export function reasonOf(signal: AbortSignal, what: string): Error {
  const { reason } = signal;
  if (reason instanceof ConnectionError) return reason;
  return new ConnectionError('aborted', `${what} was aborted by the caller`, { cause: reason });
}

/** How errors name a call of a tool. */
export function nameOfCall(tool: string): string {
  return `tools/call ${JSON.stringify(tool.length <= 128 ? tool : `${tool.slice(0, 128)}...`)}`;
}

/** Types of tasks on the wire, in 2026-07-28 and in 2025-11-25. */

import type { ErrorObject, InputRequest } from '../../entries/mcpp.ts';

export const TASKS = 'io.modelcontextprotocol/tasks';

/** Status of a task. `completed`, `failed` and `cancelled` are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A task without its outcome, as in the result that creates it. */
export interface Task {
  readonly taskId: string;
  readonly status: TaskStatus;
  /** Description of the current activity or outcome, for users and models. */
  readonly statusMessage?: string;
  /** ISO 8601 date and time. */
  readonly createdAt: string;
  /** ISO 8601 date and time. */
  readonly lastUpdatedAt: string;
  /** Lifetime from the creation, in milliseconds; null for unlimited. */
  readonly ttlMs: number | null;
  /** Poll interval that the server asks for, in milliseconds. */
  readonly pollIntervalMs?: number;
}

/** A task with its outcome or input requests, as in `tasks/get` and `notifications/tasks`. */
export interface DetailedTask extends Task {
  /** With status `input_required`: all open input requests, by key. */
  readonly inputRequests?: Readonly<Record<string, InputRequest>>;
  /** With status `completed`: the result of the call. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** With status `failed`: the error of the call. */
  readonly error?: ErrorObject;
}

/** A task in the format of 2025-11-25, where tasks are an experimental part of the protocol. */
export interface ExperimentalTask extends Omit<Task, 'ttlMs' | 'pollIntervalMs'> {
  /** Lifetime from the creation, in milliseconds; null for unlimited. */
  readonly ttl: number | null;
  /** Poll interval that the server asks for, in milliseconds. */
  readonly pollInterval?: number;
}

/** Key in `_meta` that links a message of 2025-11-25 to a task. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** Returns true for a status that cannot change any more. */
export function isFinal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

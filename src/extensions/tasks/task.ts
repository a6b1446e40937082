/** Tasks as they stand on the wire. */

import type { ErrorObject, InputRequest } from '../../entries/mcpp.ts';

/** The name of the extension. */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** How far a task has got. The last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A task, as the answer that creates it shows it. */
export interface Task {
  readonly taskId: string;
  readonly status: TaskStatus;
  /** What it is doing, for people and models. */
  readonly statusMessage?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly lastUpdatedAt: string;
  /** How long it is kept from its creation on, in milliseconds; null is for ever. */
  readonly ttlMs: number | null;
  /** How often to ask for it, in milliseconds. */
  readonly pollIntervalMs?: number;
}

/** A task with what its status brings along, as `tasks/get` and `notifications/tasks` show it. */
export interface DetailedTask extends Task {
  /** With `input_required`: every open question, by key. */
  readonly inputRequests?: Readonly<Record<string, InputRequest>>;
  /** With `completed`: what the call would have been answered with. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** With `failed`: the error the call would have been answered with. */
  readonly error?: ErrorObject;
}

/** A task as revision 2025-11-25 shows it, which had tasks as an experiment. */
export interface ExperimentalTask extends Omit<Task, 'ttlMs' | 'pollIntervalMs'> {
  /** How long it is kept from its creation on, in milliseconds; null is for ever. */
  readonly ttl: number | null;
  /** How often to ask for it, in milliseconds. */
  readonly pollInterval?: number;
}

/** What ties a message of 2025-11-25 to a task: the key in its `_meta`. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** True for a status that does not change any more. */
export function isFinal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Converts stored tasks to tasks on the wire. */

import type { InputRequest } from '../../../entries/mcpp.ts';
import type { StoredTask } from '../store.ts';
import type { DetailedTask, ExperimentalTask, Task } from '../task.ts';
import { openQuestions } from './state.ts';

/** Returns the task for the `tools/call` result that creates it, which has no outcome. */
export function taskOf({ ttlMs, pollIntervalMs, ...task }: StoredTask): Task {
  return { ...common(task), ttlMs, pollIntervalMs };
}

/** Returns the task for `tasks/get`, with its result, error or open input requests. */
export function detailedTaskOf(task: StoredTask): DetailedTask {
  const { status, result, error } = task;
  return {
    ...taskOf(task),
    ...(status === 'input_required' ? { inputRequests: inputRequestsOf(task) } : {}),
    ...(result ? { result } : {}),
    ...(error ? { error } : {}),
  };
}

/** Returns the task in the format of 2025-11-25, where a result with `isError` means the status `failed`. */
export function experimentalTaskOf({
  ttlMs: ttl,
  pollIntervalMs: pollInterval,
  ...task
}: StoredTask): ExperimentalTask {
  const failed: Pick<Task, 'status' | 'statusMessage'> | undefined =
    task.result?.['isError'] === true ? { status: 'failed', ...textOf(task.result) } : undefined;
  return { ...common({ ...task, ...failed }), ttl, pollInterval };
}

type Common = Pick<StoredTask, 'taskId' | 'status' | 'statusMessage' | 'createdAt' | 'lastUpdatedAt'>;

function common({ taskId, status, statusMessage, createdAt, lastUpdatedAt }: Common): Omit<Task, 'ttlMs'> {
  return {
    taskId,
    status,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(lastUpdatedAt).toISOString(),
  };
}

function inputRequestsOf(task: StoredTask): Record<string, InputRequest> {
  return Object.fromEntries(openQuestions(task).map(({ key, request }) => [key, request]));
}

const LONGEST_MESSAGE = 500;

/** Returns the first text of an error result as status message, cut to 500 characters. */
function textOf({ content }: Readonly<Record<string, unknown>>): Pick<Task, 'statusMessage'> {
  const [first] = Array.isArray(content) ? content : [];
  const text: unknown = first?.text;
  return typeof text === 'string' ? { statusMessage: text.slice(0, LONGEST_MESSAGE) } : {};
}

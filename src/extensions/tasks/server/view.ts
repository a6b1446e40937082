/** Tasks as clients see them: from what is kept to what stands on the wire. */

import type { InputRequest } from '../../../entries/mcpp.ts';
import type { StoredTask } from '../store.ts';
import type { DetailedTask, ExperimentalTask, Task } from '../task.ts';
import { openQuestions } from './state.ts';

/** The task itself, as it stands in the answer that creates it. */
export function taskOf({ ttlMs, pollIntervalMs, ...task }: StoredTask): Task {
  return { ...common(task), ttlMs, pollIntervalMs };
}

/** The task with what its status brings along. */
export function detailedTaskOf(task: StoredTask): DetailedTask {
  const { status, result, error } = task;
  return {
    ...taskOf(task),
    ...(status === 'input_required' ? { inputRequests: inputRequestsOf(task) } : {}),
    ...(result ? { result } : {}),
    ...(error ? { error } : {}),
  };
}

/** The task in the words of 2025-11-25, where a result that says it is an error is a failure. */
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

/** What a failed tool says first. */
function textOf({ content }: Readonly<Record<string, unknown>>): Pick<Task, 'statusMessage'> {
  const [first] = Array.isArray(content) ? content : [];
  const text: unknown = first?.text;
  return typeof text === 'string' ? { statusMessage: text.slice(0, LONGEST_MESSAGE) } : {};
}

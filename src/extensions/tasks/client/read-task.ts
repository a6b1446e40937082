/** Parses tasks from servers. Errors name the JSON Pointer of the malformed member. */

import type { ErrorObject, InputRequest } from '../../../entries/mcpp.ts';
import { isObject } from '../object.ts';
import type { DetailedTask, Task, TaskStatus } from '../task.ts';

/** Names of the members of a task that differ between revisions. */
export interface TaskWords {
  readonly ttl: string;
  readonly pollInterval: string;
}

/** Location of the parsed value, for error messages. */
export interface Place {
  /** JSON Pointer to the value, such as `/result`. */
  readonly path: string;
  /** Expected id of the task. Default: any id is accepted. */
  readonly taskId?: string;
  complain(text: string): Error;
}

/** Member names in 2026-07-28, which the public types use as well. */
export const WORDS: TaskWords = { ttl: 'ttlMs', pollInterval: 'pollIntervalMs' };

type Members = Readonly<Record<string, unknown>>;

const STATUSES: ReadonlySet<unknown> = new Set<TaskStatus>([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
]);

/** Parses the members that all tasks have, and returns them with the names of 2026-07-28. */
export function readTask(value: unknown, words: TaskWords, place: Place): Task {
  const members = objectAt(value, place);
  const { taskId, status, statusMessage } = members;
  const createdAt = stringAt(members, 'createdAt', place);
  const lastUpdatedAt = stringAt(members, 'lastUpdatedAt', place);
  if (typeof taskId !== 'string' || taskId === '') throw malformed(place, 'taskId', 'a string that is not empty');
  if (taskId !== (place.taskId ?? taskId)) throw malformed(place, 'taskId', 'the id that was asked for');
  if (!STATUSES.has(status)) throw malformed(place, 'status', `one of ${[...STATUSES].join(', ')}`);
  if (statusMessage !== undefined) stringAt(members, 'statusMessage', place);
  // Some servers omit a lifetime of null (unlimited), because their JSON encoders drop null members.
  const ttlMs = members[words.ttl] ?? null;
  if (ttlMs !== null && !isDuration(ttlMs)) throw malformed(place, words.ttl, 'a number of milliseconds or null');
  const pollIntervalMs = members[words.pollInterval];
  if (pollIntervalMs !== undefined && !isDuration(pollIntervalMs)) {
    throw malformed(place, words.pollInterval, 'a number of milliseconds');
  }
  return {
    taskId,
    status: status as TaskStatus,
    ...(statusMessage === undefined ? {} : { statusMessage: statusMessage as string }),
    createdAt,
    lastUpdatedAt,
    ttlMs,
    ...(pollIntervalMs === undefined ? {} : { pollIntervalMs }),
  };
}

/** Parses a task with the member that its status requires: `result`, `error` or `inputRequests`. */
export function readDetailedTask(value: unknown, words: TaskWords, place: Place): DetailedTask {
  const task = readTask(value, words, place);
  const { result, error, inputRequests } = value as Members;
  if (task.status === 'completed') return { ...task, result: objectAt(result, within(place, 'result')) };
  if (task.status === 'failed') return { ...task, error: errorAt(error, within(place, 'error')) };
  if (task.status !== 'input_required') return task;
  return { ...task, inputRequests: questionsAt(inputRequests, within(place, 'inputRequests')) };
}

function questionsAt(value: unknown, place: Place): Readonly<Record<string, InputRequest>> {
  const questions = objectAt(value, place);
  for (const question of Object.values(questions)) {
    // The server chooses the keys, so error messages do not contain them.
    const here = within(place, '*');
    const { method, params } = objectAt(question, here);
    if (typeof method !== 'string') throw malformed(here, 'method', 'a string');
    if (params !== undefined) objectAt(params, within(here, 'params'));
  }
  return questions as Readonly<Record<string, InputRequest>>;
}

function errorAt(value: unknown, place: Place): ErrorObject {
  const error = objectAt(value, place);
  if (!Number.isInteger(error['code'])) throw malformed(place, 'code', 'an integer');
  stringAt(error, 'message', place);
  return error as unknown as ErrorObject;
}

function objectAt(value: unknown, { path, complain }: Place): Record<string, unknown> {
  if (isObject(value)) return value;
  throw complain(`${path} must be an object`);
}

function stringAt(members: Members, name: string, place: Place): string {
  const value = members[name];
  if (typeof value !== 'string') throw malformed(place, name, 'a string');
  return value;
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function within({ path, complain }: Place, member: string): Place {
  return { path: `${path}/${member}`, complain };
}

function malformed({ path, complain }: Place, member: string, expected: string): Error {
  return complain(`${path}/${member} must be ${expected}`);
}

/** Reads tasks as servers send them. What breaks the rules is refused, with the place where it does. */

import type { ErrorObject, InputRequest } from '../../../entries/mcpp.ts';
import { isObject } from '../object.ts';
import type { DetailedTask, Task, TaskStatus } from '../task.ts';

/** What a revision calls the two members whose names differ. */
export interface TaskWords {
  readonly ttl: string;
  readonly pollInterval: string;
}

/** Where something stands, and what is wrong if it is not as it must be. */
export interface Place {
  /** As in `/result`. */
  readonly path: string;
  /** The id of the task it must be about, if that is known. */
  readonly taskId?: string;
  complain(text: string): Error;
}

/** The newest revision's words, which are ours too. */
export const WORDS: TaskWords = { ttl: 'ttlMs', pollInterval: 'pollIntervalMs' };

type Members = Readonly<Record<string, unknown>>;

const STATUSES: ReadonlySet<unknown> = new Set<TaskStatus>([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
]);

/** The members every task has, in the newest revision's words. */
export function readTask(value: unknown, words: TaskWords, place: Place): Task {
  const members = objectAt(value, place);
  const { taskId, status, statusMessage } = members;
  const createdAt = stringAt(members, 'createdAt', place);
  const lastUpdatedAt = stringAt(members, 'lastUpdatedAt', place);
  if (typeof taskId !== 'string' || taskId === '') throw malformed(place, 'taskId', 'a string that is not empty');
  if (taskId !== (place.taskId ?? taskId)) throw malformed(place, 'taskId', 'the id that was asked for');
  if (!STATUSES.has(status)) throw malformed(place, 'status', `one of ${[...STATUSES].join(', ')}`);
  if (statusMessage !== undefined) stringAt(members, 'statusMessage', place);
  // Servers whose JSON has no null leave it out.
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

/** A task with what its status brings along. */
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
    // The key is the server's, so it is no part of the text.
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

/** `SavedTask`: the JSON form of a `TaskHandle`, which another process can resume. */

import type { Params } from '../../../entries/mcpp.ts';
import { isObject } from '../object.ts';
import type { DetailedTask } from '../task.ts';
import { formIn } from './form.ts';
import { readTask, WORDS } from './read-task.ts';

/** Output of `JSON.stringify(handle)`. Contains data from the server, such as the result, but not the arguments of the call. */
export interface SavedTask {
  /** Protocol revision of the call. */
  readonly revision: string;
  readonly tool: string;
  /** Last known state of the task. Omitted if the server created no task. */
  readonly task?: DetailedTask;
  /** Keys of the input requests that were answered. */
  readonly answered?: readonly string[];
  /** Result of the call, if known. */
  readonly result?: Params;
}

/** Validates a saved task, which can come from an untrusted file. Throws a `TypeError` if the task is malformed. */
export function readSavedTask(saved: unknown): SavedTask {
  if (typeof saved === 'string') throw new TypeError('A saved task must be an object: use JSON.parse first');
  if (!isObject(saved)) throw new TypeError('A saved task must be an object, as JSON.stringify wrote it');
  const { revision, tool, task, answered, result } = saved;
  if (typeof revision !== 'string') throw new TypeError('A saved task: "revision" must be a string');
  if (task !== undefined && !formIn(revision)) {
    throw new TypeError('A saved task: "revision" must be a protocol revision that has tasks');
  }
  if (typeof tool !== 'string') throw new TypeError('A saved task: "tool" must be a string');
  if (answered !== undefined && !isStrings(answered)) {
    throw new TypeError('A saved task: "answered" must be an array of strings');
  }
  if (result !== undefined && !isObject(result)) throw new TypeError('A saved task: "result" must be an object');
  if (task === undefined && result === undefined) throw new TypeError('A saved task must have a "task" or a "result"');
  return {
    revision,
    tool,
    ...(task === undefined ? {} : { task: taskIn(task) }),
    ...(answered === undefined ? {} : { answered }),
    ...(result === undefined ? {} : { result }),
  };
}

// Only a final task needs its result or error. A task that is not final is polled again.
function taskIn(value: unknown): DetailedTask {
  const task = readTask(value, WORDS, { path: '/task', complain: (text) => new TypeError(`A saved task: ${text}`) });
  const { result, error } = value as Record<string, unknown>;
  return {
    ...task,
    ...(task.status === 'completed' && isObject(result) ? { result } : {}),
    ...(task.status === 'failed' && isError(error) ? { error } : {}),
  };
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isError(value: unknown): value is { code: number; message: string } {
  return isObject(value) && Number.isInteger(value['code']) && typeof value['message'] === 'string';
}

/** A task as JSON, to be kept and gone on with later, by another process too. */

import type { Params } from '../../../entries/mcpp.ts';
import { isObject } from '../object.ts';
import type { DetailedTask } from '../task.ts';
import { formIn } from './form.ts';
import { readTask, WORDS } from './read-task.ts';

/** What `JSON.stringify(handle)` writes. It has no arguments of the call in it, but answers of the server's. */
export interface SavedTask {
  /** The revision the call was made in. */
  readonly revision: string;
  /** The tool that was called. */
  readonly tool: string;
  /** The task as it was last seen. Left out if the server answered at once. */
  readonly task?: DetailedTask;
  /** The keys of its questions that were answered. */
  readonly answered?: readonly string[];
  /** The result, once it is known. */
  readonly result?: Params;
}

/** Reads it. It may come from a file, so nothing is taken for granted. */
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

// What is not final is asked for again, so that only a final task needs what its status brings along.
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

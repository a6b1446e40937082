/** Tasks in each revision that has them: as an extension, and before that as a part of the protocol. */

import type { ExtensionConnection } from '../../../entries/client.ts';
import { ConnectionError } from '../../../entries/mcpp.ts';
import { isObject } from '../object.ts';
import type { DetailedTask, Task } from '../task.ts';
import { type Place, readDetailedTask, readTask, WORDS } from './read-task.ts';

/** How tasks stand on the wire. */
export interface TaskForm {
  /** Who asks for a task: the server makes one as it sees fit, or only if a call wants it. */
  readonly wantedBy: 'server' | 'caller';
  /** Where the result and the questions of a task are: in the task, or had by a request that waits for them. */
  readonly gives: 'in the task' | 'by tasks/result';
  /** The task in the answer that created it. */
  created(result: Readonly<Record<string, unknown>>, what: string): Task;
  /** The task with this id in an answer to `tasks/get` (`/result`), or in a notification (`/params`). */
  read(value: unknown, path: string, taskId: string, what: string): DetailedTask;
}

const OLD_WORDS = { ttl: 'ttl', pollInterval: 'pollInterval' };

const EXTENSION: TaskForm = {
  wantedBy: 'server',
  gives: 'in the task',
  created: (result, what) => readTask(result, WORDS, place('/result', what)),
  read: (value, path, taskId, what) => readDetailedTask(value, WORDS, { ...place(path, what), taskId }),
};

const IN_PROTOCOL: TaskForm = {
  wantedBy: 'caller',
  gives: 'by tasks/result',
  created: (result, what) => readTask(result['task'], OLD_WORDS, place('/result/task', what)),
  read: (value, path, taskId, what) => readTask(value, OLD_WORDS, { ...place(path, what), taskId }),
};

const FORMS: ReadonlyMap<string, TaskForm> = new Map([
  ['2025-11-25', IN_PROTOCOL],
  ['2026-07-28', EXTENSION],
]);

/** The form of a revision; undefined if it has no tasks. */
export function formIn(revision: string): TaskForm | undefined {
  return FORMS.get(revision);
}

/** The form of the revision that is spoken. */
export function formOf({ revision }: ExtensionConnection): TaskForm {
  const form = formIn(revision);
  if (!form) throw new ConnectionError('refused', `Revision ${revision} has no tasks`);
  return form;
}

/** True if calls of tools can ask for a task, in a revision where they have to. */
export function takesTasks({ serverCapabilities }: ExtensionConnection): boolean {
  const path = ['tasks', 'requests', 'tools', 'call'];
  const found = path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), serverCapabilities);
  return isObject(found);
}

function place(path: string, what: string): Place {
  return { path, complain: (text) => new ConnectionError('malformed', `Malformed task of ${what}: ${text}`) };
}

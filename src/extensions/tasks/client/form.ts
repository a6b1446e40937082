/** Differences between tasks in 2025-11-25, where they are part of the protocol, and the tasks extension of 2026-07-28. */

import type { ExtensionConnection } from '../../../entries/client.ts';
import { ConnectionError } from '../../../entries/mcpp.ts';
import { isObject } from '../object.ts';
import type { DetailedTask, Task } from '../task.ts';
import { type Place, readDetailedTask, readTask, WORDS } from './read-task.ts';

/** Representation of tasks in one protocol revision. */
export interface TaskForm {
  /** Side that decides whether a call becomes a task: the server, or the caller with the parameter `task`. */
  readonly wantedBy: 'server' | 'caller';
  /** Where results and input requests are: in the task, or in the blocking request `tasks/result`. */
  readonly gives: 'in the task' | 'by tasks/result';
  /** Parses the task in the `tools/call` result that created it. `what` names the call in error messages. */
  created(result: Readonly<Record<string, unknown>>, what: string): Task;
  /** Parses the task in a `tasks/get` result (`path` is `/result`) or a notification (`/params`). Throws if the id differs. */
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

/** Returns the representation of tasks in a revision, or undefined if the revision has no tasks. */
export function formIn(revision: string): TaskForm | undefined {
  return FORMS.get(revision);
}

/** Returns the representation of tasks on a connection. Throws a `ConnectionError` if its revision has no tasks. */
export function formOf({ revision }: ExtensionConnection): TaskForm {
  const form = formIn(revision);
  if (!form) throw new ConnectionError('refused', `Revision ${revision} has no tasks`);
  return form;
}

/** Returns true if the server declares that `tools/call` accepts the parameter `task` (2025-11-25). */
export function takesTasks({ serverCapabilities }: ExtensionConnection): boolean {
  const path = ['tasks', 'requests', 'tools', 'call'];
  const found = path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), serverCapabilities);
  return isObject(found);
}

function place(path: string, what: string): Place {
  return { path, complain: (text) => new ConnectionError('malformed', `Malformed task of ${what}: ${text}`) };
}

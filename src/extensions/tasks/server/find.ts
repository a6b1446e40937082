/** Ids of tasks, and lookup of a caller's own tasks. */

import { type Params, RpcError } from '../../../entries/mcpp.ts';
import { type Context, principalKey } from '../../../entries/server.ts';
import { keptUntil, type StoredTask } from '../store.ts';
import type { Office } from './office.ts';
import { seenAt } from './state.ts';

/** Returns an unguessable id: 160 random bits as 40 hexadecimal digits. */
export function newTaskId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const TASK_ID = /^[0-9a-f]{40}$/;

/** Returns the current state of the task in `params.taskId`. Throws error -32602 if the caller has no such task. */
export async function ownTask(office: Office, params: Params, ctx: Context): Promise<StoredTask> {
  const { taskId } = params;
  if (typeof taskId !== 'string') throw RpcError.invalidParams('"taskId" must be a string');
  const task = await findTask(office, taskId, ctx);
  if (!task) throw unknownTask();
  return task;
}

/** Returns the state of a task of the caller's principal and revision; undefined if there is none or it has expired. */
export async function findTask(office: Office, taskId: string, ctx: Context): Promise<StoredTask | undefined> {
  // The store is not called for malformed ids.
  const task = TASK_ID.test(taskId) ? await office.store.get(taskId) : undefined;
  const now = Date.now();
  const isOwn = task && task.owner === principalKey(ctx.auth) && task.revision === ctx.revision;
  return isOwn && now < keptUntil(task) ? seenAt(now, task) : undefined;
}

/** Creates the error for missing tasks and for tasks of others. The errors are equal, so that ids cannot be probed. */
export function unknownTask(): RpcError {
  return RpcError.invalidParams('Unknown task: there is none with this "taskId", or it has expired');
}

/** Finds the task a request is about, for those whose it is. */

import { type Params, RpcError } from '../../../entries/mcpp.ts';
import { type Context, principalKey } from '../../../entries/server.ts';
import { keptUntil, type StoredTask } from '../store.ts';
import type { Office } from './office.ts';
import { seenAt } from './state.ts';

/** A new id, with 160 bits that nobody can guess. */
export function newTaskId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const TASK_ID = /^[0-9a-f]{40}$/;

/** The task that `params` names, as it is to be seen now. */
export async function ownTask(office: Office, params: Params, ctx: Context): Promise<StoredTask> {
  const { taskId } = params;
  if (typeof taskId !== 'string') throw RpcError.invalidParams('"taskId" must be a string');
  const task = await findTask(office, taskId, ctx);
  if (!task) throw unknownTask();
  return task;
}

/** The task with this id, if it is the caller's and of the caller's revision. */
export async function findTask(office: Office, taskId: string, ctx: Context): Promise<StoredTask | undefined> {
  // Stores are asked only for what can be there.
  const task = TASK_ID.test(taskId) ? await office.store.get(taskId) : undefined;
  const now = Date.now();
  const isOwn = task && task.owner === principalKey(ctx.auth) && task.revision === ctx.revision;
  return isOwn && now < keptUntil(task) ? seenAt(now, task) : undefined;
}

/** What everybody is told who names a task that is not there, or is somebody else's: the same, so that neither shows. */
export function unknownTask(): RpcError {
  return RpcError.invalidParams('Unknown task: there is none with this "taskId", or it has expired');
}

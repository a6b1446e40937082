/** Tasks as revision 2025-11-25 had them, in the protocol itself and as an experiment; over the same store. */

import { RpcError } from '../../../entries/mcpp.ts';
import { type BuiltInRevision, type ExtensionHandler, principalKey } from '../../../entries/server.ts';
import { isObject } from '../object.ts';
import type { StoredTask } from '../store.ts';
import { type ExperimentalTask, isFinal, RELATED_TASK } from '../task.ts';
import { ownTask, unknownTask } from './find.ts';
import type { Office } from './office.ts';
import { cancelled, seenAt } from './state.ts';
import { experimentalTaskOf } from './view.ts';
import { WaitingRoom } from './waiting.ts';

const PAGE_SIZE = 100;

/** What is declared and answered to clients of that revision. */
export function experimentalTasks(office: Office): BuiltInRevision {
  return {
    // Whose tasks are to be listed is not known of callers nobody vouches for.
    capabilities: (principal) => ({
      tasks: { ...(principal ? { list: {} } : {}), cancel: {}, requests: { tools: { call: {} } } },
    }),
    methods: methodsOf(office),
  };
}

function methodsOf(office: Office): Readonly<Record<string, ExtensionHandler>> {
  const waitingRoom = new WaitingRoom(office);
  return {
    async 'tasks/get'(params, ctx): Promise<ExperimentalTask> {
      return experimentalTaskOf(await ownTask(office, params, ctx));
    },
    async 'tasks/result'(params, ctx): Promise<object> {
      const task = await ownTask(office, params, ctx);
      return resultOf(isFinal(task.status) ? task : await waitingRoom.wait(task.taskId, ctx));
    },
    async 'tasks/list'({ cursor }, ctx): Promise<object> {
      if (!ctx.auth) throw RpcError.methodNotFound('tasks/list');
      if (cursor !== undefined && typeof cursor !== 'string') throw RpcError.invalidParams('"cursor" must be a string');
      const owner = principalKey(ctx.auth);
      const page = await office.store.list({ owner, revision: ctx.revision, cursor, limit: PAGE_SIZE });
      if (!page) throw RpcError.invalidParams('"cursor" is not valid for this list; start again without one');
      const { tasks, nextCursor } = page;
      const now = Date.now();
      const shown = tasks.map((task) => experimentalTaskOf(seenAt(now, task)));
      return { tasks: shown, ...(nextCursor === undefined ? {} : { nextCursor }) };
    },
    async 'tasks/cancel'(params, ctx): Promise<ExperimentalTask> {
      const { taskId } = await ownTask(office, params, ctx);
      let found: StoredTask | undefined;
      const task = await office.store.change(taskId, (before) => {
        found = seenAt(Date.now(), before);
        return cancelled(Date.now(), before);
      });
      if (!task || !found) throw unknownTask();
      if (isFinal(found.status)) {
        throw RpcError.invalidParams(`The task cannot be cancelled: it is ${experimentalTaskOf(found).status} already`);
      }
      return experimentalTaskOf(task);
    },
  };
}

/** What the call would have been answered with, and whose it is. */
function resultOf({ taskId, result, error }: StoredTask): object {
  if (error) throw RpcError.from(error);
  if (!result) throw RpcError.internal('The task was cancelled');
  const { _meta } = result;
  return { ...result, _meta: { ...(isObject(_meta) ? _meta : {}), [RELATED_TASK]: { taskId } } };
}

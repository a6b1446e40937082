/** Experimental tasks, which are part of revision 2025-11-25. They use the same task store as the extension. */

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

/** Maximum length of a received cursor, in characters. */
const MAX_CURSOR = 4096;
const PAGE_SIZE = 100;

/** Returns the capabilities and methods of tasks for clients of 2025-11-25. */
export function experimentalTasks(office: Office): BuiltInRevision {
  return {
    // Unauthenticated callers have no `tasks/list`, because they share one owner and would see each other's tasks.
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
      if (cursor !== undefined && cursor.length > MAX_CURSOR) {
        throw RpcError.invalidParams(`"cursor" has more than ${MAX_CURSOR} characters`);
      }
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

/** Returns the outcome of a task for `tasks/result`: its result with the task's id in `_meta`, or else throws its error. */
function resultOf({ taskId, result, error }: StoredTask): object {
  if (error) throw RpcError.from(error);
  if (!result) throw RpcError.internal('The task was cancelled');
  const { _meta } = result;
  return { ...result, _meta: { ...(isObject(_meta) ? _meta : {}), [RELATED_TASK]: { taskId } } };
}

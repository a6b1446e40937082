/** Handlers of `tasks/get`, `tasks/update` and `tasks/cancel` of the tasks extension. */

import { isInputResponse, type Params, RpcError } from '../../../entries/mcpp.ts';
import type { ExtensionHandler } from '../../../entries/server.ts';
import { isObject } from '../object.ts';
import { NoRoomError, type StoredTask, type TaskReply } from '../store.ts';
import type { DetailedTask } from '../task.ts';
import { ownTask } from './find.ts';
import type { Office } from './office.ts';
import { answered, cancelled, openQuestions } from './state.ts';
import { detailedTaskOf } from './view.ts';

export function taskMethods(office: Office): Readonly<Record<string, ExtensionHandler>> {
  return {
    async 'tasks/get'(params, ctx): Promise<DetailedTask> {
      return detailedTaskOf(await ownTask(office, params, ctx));
    },
    async 'tasks/update'(params, ctx): Promise<object> {
      const responses = inputResponsesOf(params);
      const { taskId } = await ownTask(office, params, ctx);
      try {
        await office.store.change(taskId, (task) => answered(Date.now(), task, repliesTo(task, responses)));
      } catch (error) {
        throw error instanceof NoRoomError ? RpcError.internal('The server has no room to keep the answers') : error;
      }
      return {};
    },
    // Succeeds for a final task as well, because cancellation is idempotent.
    async 'tasks/cancel'(params, ctx): Promise<object> {
      const { taskId } = await ownTask(office, params, ctx);
      await office.store.change(taskId, (task) => cancelled(Date.now(), task));
      return {};
    },
  };
}

function inputResponsesOf({ inputResponses }: Params): ReadonlyMap<string, unknown> {
  if (!isObject(inputResponses)) throw RpcError.invalidParams('"inputResponses" must be an object');
  return new Map(Object.entries(inputResponses));
}

/** Returns the valid responses to open input requests, by key. An invalid response leaves its input request open. */
function repliesTo(task: StoredTask, responses: ReadonlyMap<string, unknown>): ReadonlyMap<string, TaskReply> {
  const replies = new Map<string, TaskReply>();
  for (const { key, request } of openQuestions(task)) {
    const answer = responses.get(key);
    if (isInputResponse(request.method, answer)) replies.set(key, { answer: { ...answer } });
  }
  return replies;
}

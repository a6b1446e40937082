/** The field `taskIds` of `subscriptions/listen`: notifies clients of changes of their tasks. */

import { type Params, RpcError } from '../../../entries/mcpp.ts';
import { type Context, principalKey, type SubscriptionField } from '../../../entries/server.ts';
import { findTask } from './find.ts';
import { follow } from './follow.ts';
import type { Office } from './office.ts';
import { detailedTaskOf } from './view.ts';

const MOST_IDS = 1000;

/** Accepts tasks of the caller, up to a limit. Other ids cause no error, so that callers cannot probe for tasks of others. */
export function taskIdsField(
  office: Office,
): (wanted: unknown, ctx: Context) => Promise<SubscriptionField | undefined> {
  return async (wanted, ctx) => {
    const taskIds = taskIdsIn(wanted);
    const found = await Promise.all(taskIds.map((taskId) => findTask(office, taskId, ctx)));
    const owner = principalKey(ctx.auth);
    const accepted = taskIds.filter((_, index) => found[index]).slice(0, office.subscribed.free(owner));
    if (accepted.length === 0) return undefined;
    return { accepted, begin: (notify) => begin(office, owner, accepted, notify) };
  };
}

function begin(
  office: Office,
  owner: string,
  taskIds: readonly string[],
  notify: (method: string, params: Params) => void,
): () => void {
  const leave = office.subscribed.take(owner, taskIds.length);
  const stops = taskIds.map((taskId) =>
    follow(
      office,
      taskId,
      (task) => {
        if (task) notify('notifications/tasks', { ...detailedTaskOf(task) });
      },
      office.report,
    ),
  );
  return () => {
    leave();
    for (const stop of stops) stop();
  };
}

function taskIdsIn(wanted: unknown): readonly string[] {
  if (!Array.isArray(wanted) || !wanted.every((one): one is string => typeof one === 'string')) {
    throw RpcError.invalidParams('"taskIds" must be a list of strings');
  }
  if (wanted.length > MOST_IDS) throw RpcError.invalidParams(`"taskIds" must have at most ${MOST_IDS} entries`);
  return [...new Set(wanted)];
}

/** Status of a task by `subscriptions/listen`, as the server tells it. */

import type { ExtensionConnection, Subscription } from '../../../entries/client.ts';
import { ConnectionError } from '../../../entries/mcpp.ts';
import { type DetailedTask, isFinal } from '../task.ts';
import type { TaskForm } from './form.ts';

/** What is watched, and who wants to know. */
export interface Watched {
  readonly peer: ExtensionConnection;
  readonly form: TaskForm;
  readonly taskId: string;
  /** How errors name it. */
  readonly what: string;
  readonly signal: AbortSignal | undefined;
  /** Asks the server how it stands. */
  look(): Promise<DetailedTask>;
  /** Is told how it stands. */
  hear(task: DetailedTask): void;
}

/** Listens until the task is final. */
export async function watchTask({ peer, form, taskId, what, signal, look, hear }: Watched): Promise<Subscription> {
  if (form.gives !== 'in the task') {
    const instead = 'wait for result(), or ask with refresh()';
    throw new ConnectionError('refused', `${what}: revision ${peer.revision} has no subscription to tasks; ${instead}`);
  }
  let subscription: Subscription | undefined;
  let isDone = false;
  const take = (task: DetailedTask): void => {
    if (isDone) return;
    isDone = isFinal(task.status);
    if (isDone) subscription?.close();
    hear(task);
  };
  subscription = await peer.listen(
    { taskIds: [taskId] },
    (method, params) => {
      if (method === 'notifications/tasks' && params['taskId'] === taskId)
        take(form.read(params, '/params', taskId, what));
    },
    { signal },
  );
  try {
    const { taskIds } = subscription.accepted;
    if (!Array.isArray(taskIds) || !taskIds.includes(taskId)) {
      throw new ConnectionError('failed', `${what}: the server does not tell how the task stands`);
    }
    // What happened before the server began to tell.
    take(await look());
  } catch (error) {
    subscription.close();
    throw error;
  }
  if (isDone) subscription.close();
  return subscription;
}

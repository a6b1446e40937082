/** Subscription to the state of a task, with `subscriptions/listen`. */

import type { ExtensionConnection, Subscription } from '../../../entries/client.ts';
import { ConnectionError } from '../../../entries/mcpp.ts';
import { type DetailedTask, isFinal } from '../task.ts';
import type { TaskForm } from './form.ts';

export interface Watched {
  readonly peer: ExtensionConnection;
  readonly form: TaskForm;
  readonly taskId: string;
  /** Name of the call in error messages. */
  readonly what: string;
  readonly signal: AbortSignal | undefined;
  /** Requests the state of the task with `tasks/get`. */
  look(): Promise<DetailedTask>;
  /** Called with each state of the task. */
  hear(task: DetailedTask): void;
}

/** Subscribes to a task until it is final. Rejects if the revision has no task subscriptions or the server refuses the task. */
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
    // The state is requested once, because the server does not notify of changes before the subscription began.
    take(await look());
  } catch (error) {
    subscription.close();
    throw error;
  }
  if (isDone) subscription.close();
  return subscription;
}

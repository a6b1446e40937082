/** Watches a task until it is final, whichever process runs its handler. */

import { expiresAt, type StoredTask } from '../store.ts';
import { isFinal } from '../task.ts';
import type { Office } from './office.ts';
import { seenAt } from './state.ts';

/** Calls `listener` with each state of a task up to the final one; with undefined if there is none. Returns a stop function. */
export function follow(
  { store, alarms }: Office,
  taskId: string,
  listener: (task: StoredTask | undefined) => void,
  onError: (error: unknown) => void,
): () => void {
  let told: StoredTask | undefined;
  let isOver = false;
  let unwatch = (): void => {};
  let clearAlarm = (): void => {};
  const stop = (): void => {
    isOver = true;
    unwatch();
    clearAlarm();
  };
  const hear = (task: StoredTask): void => {
    const seen = seenAt(Date.now(), task);
    if (isOver || (told && seen.version <= told.version)) return;
    // The process that runs the handler can have exited, so the end of the task's lifetime is detected here as well.
    if (!told) clearAlarm = alarms.set(expiresAt(task), () => told && hear(told));
    told = seen;
    if (isFinal(seen.status)) stop();
    // An exception of the listener must not reach the store, which notifies other listeners of the same change.
    try {
      listener(seen);
    } catch (error) {
      onError(error);
    }
  };
  const begin = async (): Promise<void> => {
    const task = await store.get(taskId);
    if (task) return hear(task);
    if (isOver || told) return;
    stop();
    listener(undefined);
  };
  unwatch = store.watch(taskId, hear);
  if (isOver) unwatch();
  begin().catch((error: unknown) => {
    if (!isOver) onError(error);
  });
  return stop;
}

/** Follows a task until it is over, whoever works on it and wherever. */

import { expiresAt, type StoredTask } from '../store.ts';
import { isFinal } from '../task.ts';
import type { Office } from './office.ts';
import { seenAt } from './state.ts';

/**
 * Tells the state a task is in and then every newer one, the final one last; undefined if it is not there. Nothing is
 * told once the returned function is called.
 */
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
    // Whoever works on it may be gone, and then nobody says that its time is over.
    if (!told) clearAlarm = alarms.set(expiresAt(task), () => told && hear(told));
    told = seen;
    if (isFinal(seen.status)) stop();
    // Others hear of the change as well, and whoever made it is not to blame.
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

/** The result of a task by `tasks/result`, which waits for it; meanwhile the server can ask its questions. */

import { isFinal } from '../task.ts';
import { cancelled } from './ending.ts';
import type { Attend, Followed, Waiting } from './followed.ts';
import { isTransient, persistently } from './pace.ts';

/**
 * Fetches the result when there is one, and waits for it while the server has questions: they come with the waiting. A
 * request that waits longer would hang on one connection that may break, and on every proxy between here and there.
 */
export function fetchResult(followed: Followed, waiting: Waiting): Attend {
  const { peer, task, what, options } = followed;
  const { signal } = waiting;
  let isOpen = false;
  const request = (timeout: number | undefined): Promise<Record<string, unknown>> =>
    peer.request(
      'tasks/result',
      { taskId: task.taskId },
      { ...options, timeout, maxTimeout: timeout, idempotent: true, signal },
    );

  const listen = async (): Promise<void> => {
    if (isOpen) return;
    isOpen = true;
    try {
      waiting.resolve(await request(Number.POSITIVE_INFINITY));
    } catch (error) {
      // The next look at the task shows whether the server still has questions.
      if (!isTransient(error)) waiting.reject(error);
    }
    isOpen = false;
  };
  return ({ status, ...rest }) => {
    if (status === 'cancelled') waiting.reject(cancelled({ status, ...rest }, what));
    // One that was opened before may hang: whichever is answered first counts.
    else if (isFinal(status))
      persistently(() => request(options.timeout), signal, peer).then(waiting.resolve, waiting.reject);
    else if (status === 'input_required') void listen();
  };
}

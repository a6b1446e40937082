/** The request `tasks/result` of 2025-11-25, which blocks until the task is final. Input requests arrive while it blocks. */

import { isFinal } from '../task.ts';
import { cancelled } from './ending.ts';
import type { Attend, Followed, Waiting } from './followed.ts';
import { isTransient, persistently } from './pace.ts';

/** Returns a function that sends `tasks/result` if a task is final or requires input. Proxies can end longer requests. */
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
      // The next poll shows whether the task still requires input.
      if (!isTransient(error)) waiting.reject(error);
    }
    isOpen = false;
  };
  return ({ status, ...rest }) => {
    if (status === 'cancelled') waiting.reject(cancelled({ status, ...rest }, what));
    // An earlier `tasks/result` can hang, so a second one is sent. The first response settles the wait.
    else if (isFinal(status))
      persistently(() => request(options.timeout), signal, peer).then(waiting.resolve, waiting.reject);
    else if (status === 'input_required') void listen();
  };
}

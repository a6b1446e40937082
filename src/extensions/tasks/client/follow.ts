/** Follows a task to its end: looks at it in its own pace, and sees to what it needs meanwhile. */

import { ErrorCode, RpcError } from '../../../entries/mcpp.ts';
import { type DetailedTask, isFinal, type Task } from '../task.ts';
import { type Attend, askAbout, type Followed, reasonOf, type Waiting } from './followed.ts';
import type { TaskForm } from './form.ts';
import { answerQuestions } from './inputs.ts';
import { intervalOf, persistently, rest } from './pace.ts';
import { fetchResult } from './result-request.ts';

const ATTENDANTS: Readonly<Record<TaskForm['gives'], (followed: Followed, waiting: Waiting) => Attend>> = {
  'in the task': answerQuestions,
  'by tasks/result': fetchResult,
};

/** What the task was for. Rejects if there is nothing: it failed, was cancelled, is gone, or the signal aborts. */
export async function follow(followed: Followed): Promise<Record<string, unknown>> {
  const { form, signal, what } = followed;
  if (signal.aborted) throw reasonOf(signal, what);
  const over = new AbortController();
  let onAbort = (): void => {};
  try {
    return await new Promise<Record<string, unknown>>((resolve, reject) => {
      onAbort = () => reject(reasonOf(signal, what));
      signal.addEventListener('abort', onAbort, { once: true });
      const attend = ATTENDANTS[form.gives](followed, { signal: over.signal, resolve, reject });
      poll(followed, attend, over.signal).catch(reject);
    });
  } finally {
    signal.removeEventListener('abort', onAbort);
    over.abort();
  }
}

/** How the task stands at the server. */
export async function lookAt(
  followed: Pick<Followed, 'peer' | 'form' | 'task' | 'what' | 'options'>,
  signal: AbortSignal,
): Promise<DetailedTask> {
  const { form, task, what } = followed;
  try {
    return form.read(await askAbout(followed, 'tasks/get', {}, signal), '/result', task.taskId, what);
  } catch (error) {
    throw isUnknown(error) ? gone(error, what, task) : error;
  }
}

async function poll(followed: Followed, attend: Attend, over: AbortSignal): Promise<void> {
  const { peer, task, seenAt } = followed;
  const began = Date.now();
  // What was final when it was kept is so for ever, and the server may have forgotten it by now.
  if (isWhole(task)) {
    attend(task);
    return;
  }
  if (task.status === 'working' && seenAt !== undefined) {
    await rest(Math.max(intervalOf(task, 0) - (began - seenAt), 0), over, peer);
  }
  while (!over.aborted) {
    const present = await persistently(() => lookAt(followed, over), over, peer);
    if (over.aborted) return;
    followed.onTask(present);
    attend(present);
    if (isFinal(present.status)) return;
    await rest(intervalOf(present, Date.now() - began), over, peer);
  }
}

// The answer that creates a task says nothing but its status.
function isWhole({ status, result, error }: DetailedTask): boolean {
  return status === 'cancelled' || result !== undefined || error !== undefined;
}

function isUnknown(error: unknown): error is RpcError {
  return error instanceof RpcError && error.code === ErrorCode.InvalidParams;
}

function gone(error: RpcError, what: string, { createdAt, ttlMs }: Task): RpcError {
  const isExpired = ttlMs !== null && Date.now() > Date.parse(createdAt) + ttlMs;
  const why = isExpired ? ` (it was to be kept for ${ttlMs} ms)` : '';
  const text = `${what}: the server does not know the task any more${why}: ${error.message}`;
  return new RpcError(error.code, text, error.data, { cause: error });
}

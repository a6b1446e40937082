/** Polls a task until it is final, and responds to its input requests meanwhile. */

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

/** Returns the result of a task. Rejects if the task fails, is cancelled or unknown to the server, or if the signal aborts. */
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

/** Requests the state of a task with `tasks/get`. */
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
  // A final state never changes, and the server can have deleted the task by now. A saved outcome is used without a request.
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

// Returns true if no poll is needed, because the task is cancelled or contains its outcome. A new task never does.
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

/** State transitions of tasks, as pure functions. Each returns the new state, or the same object if nothing changes. */

import { ErrorCode, type ErrorObject } from '../../../entries/mcpp.ts';
import { expiresAt, type StoredTask, type TaskQuestion, type TaskReply } from '../store.ts';
import { isFinal } from '../task.ts';

export type TaskOutcome = { readonly result: Readonly<Record<string, unknown>> } | { readonly error: ErrorObject };

/** Error of a task that was still running at the end of its lifetime. */
const EXPIRED: ErrorObject = {
  code: ErrorCode.InternalError,
  message: 'The task expired: it was not done within the time it is kept',
};

/** Returns the state at the Unix time `now`. A task fails at the end of its lifetime, even if its process has exited. */
export function seenAt(now: number, task: StoredTask): StoredTask {
  const end = expiresAt(task);
  if (isFinal(task.status) || now < end) return task;
  return over(task, end, { status: 'failed', error: EXPIRED, statusMessage: EXPIRED.message });
}

/** Adds an input request. Removes the input requests in `settled`, whose responses the handler has received. */
export function asked(
  now: number,
  task: StoredTask,
  question: TaskQuestion,
  settled: readonly string[] = [],
): StoredTask {
  return whileRunning(now, task, (running) => {
    const others = running.questions.filter(({ key }) => key !== question.key && !settled.includes(key));
    return withQuestions(now, running, [...others, question]);
  });
}

/** Adds responses by key. Responses to unknown or answered input requests are ignored. */
export function answered(now: number, task: StoredTask, replies: ReadonlyMap<string, TaskReply>): StoredTask {
  return whileRunning(now, task, (running) => {
    const isNews = ({ key, reply }: TaskQuestion): boolean => !reply && replies.has(key);
    if (!running.questions.some(isNews)) return running;
    const questions = running.questions.map((one) => {
      const reply = isNews(one) ? replies.get(one.key) : undefined;
      return reply ? { ...one, reply } : one;
    });
    return withQuestions(now, running, questions);
  });
}

export function progressed(now: number, task: StoredTask, statusMessage: string): StoredTask {
  return whileRunning(now, task, (running) =>
    running.statusMessage === statusMessage ? running : next(now, running, { statusMessage }),
  );
}

export function ended(now: number, task: StoredTask, outcome: TaskOutcome): StoredTask {
  return whileRunning(now, task, (running) =>
    'result' in outcome
      ? over(running, now, { status: 'completed', result: outcome.result })
      : over(running, now, { status: 'failed', error: outcome.error, statusMessage: outcome.error.message }),
  );
}

export function cancelled(now: number, task: StoredTask): StoredTask {
  return whileRunning(now, task, (running) =>
    over(running, now, { status: 'cancelled', statusMessage: 'The task was cancelled' }),
  );
}

/** Returns the input requests without a response. */
export function openQuestions({ questions }: StoredTask): readonly TaskQuestion[] {
  return questions.filter(({ reply }) => !reply);
}

/** Applies a transition unless the task is final. */
function whileRunning(now: number, task: StoredTask, befalls: (task: StoredTask) => StoredTask): StoredTask {
  const seen = seenAt(now, task);
  return isFinal(seen.status) ? seen : befalls(seen);
}

function withQuestions(now: number, task: StoredTask, questions: readonly TaskQuestion[]): StoredTask {
  const status = questions.some(({ reply }) => !reply) ? 'input_required' : 'working';
  return next(now, task, { questions, status });
}

type End = Pick<StoredTask, 'status' | 'statusMessage' | 'result' | 'error'>;

function over({ statusMessage: _, ...task }: StoredTask, now: number, end: End): StoredTask {
  return next(now, task, { ...end, questions: [] });
}

function next(now: number, task: StoredTask, change: Partial<StoredTask>): StoredTask {
  // `lastUpdatedAt` never decreases for clients, although the clocks of several nodes differ.
  const lastUpdatedAt = Math.max(now, task.lastUpdatedAt);
  return { ...task, ...change, version: task.version + 1, lastUpdatedAt };
}

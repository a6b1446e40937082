/** What can befall a task, as pure functions: each gives the task that comes of it, or the same one if nothing does. */

import { ErrorCode, type ErrorObject } from '../../../entries/mcpp.ts';
import { expiresAt, type StoredTask, type TaskQuestion, type TaskReply } from '../store.ts';
import { isFinal } from '../task.ts';

/** How a handler ended. */
export type TaskOutcome = { readonly result: Readonly<Record<string, unknown>> } | { readonly error: ErrorObject };

/** What can be said of a task that was still running when its time was over. */
const EXPIRED: ErrorObject = {
  code: ErrorCode.InternalError,
  message: 'The task expired: it was not done within the time it is kept',
};

/** The task as it is to be seen now: whatever became of the process that ran it, it ends when its time is over. */
export function seenAt(now: number, task: StoredTask): StoredTask {
  const end = expiresAt(task);
  if (isFinal(task.status) || now < end) return task;
  return over(task, end, { status: 'failed', error: EXPIRED, statusMessage: EXPIRED.message });
}

/** The handler puts a question. Those whose replies it has got are forgotten. */
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

/** Replies arrive, by key. Those to questions that are not open are nothing. */
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

/** The handler says how far it has got. */
export function progressed(now: number, task: StoredTask, statusMessage: string): StoredTask {
  return whileRunning(now, task, (running) =>
    running.statusMessage === statusMessage ? running : next(now, running, { statusMessage }),
  );
}

/** The handler has ended. */
export function ended(now: number, task: StoredTask, outcome: TaskOutcome): StoredTask {
  return whileRunning(now, task, (running) =>
    'result' in outcome
      ? over(running, now, { status: 'completed', result: outcome.result })
      : over(running, now, { status: 'failed', error: outcome.error, statusMessage: outcome.error.message }),
  );
}

/** The client does not want it any more. */
export function cancelled(now: number, task: StoredTask): StoredTask {
  return whileRunning(now, task, (running) =>
    over(running, now, { status: 'cancelled', statusMessage: 'The task was cancelled' }),
  );
}

/** The questions that wait for an answer. */
export function openQuestions({ questions }: StoredTask): readonly TaskQuestion[] {
  return questions.filter(({ reply }) => !reply);
}

/** Nothing befalls a task that is over. */
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
  // Clocks of several nodes differ, and none goes back for a client.
  const lastUpdatedAt = Math.max(now, task.lastUpdatedAt);
  return { ...task, ...change, version: task.version + 1, lastUpdatedAt };
}

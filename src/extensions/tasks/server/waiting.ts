/** Calls that wait for the end of a task, and put its questions to their clients meanwhile. */

import { type Question, RpcError } from '../../../entries/mcpp.ts';
import type { Context } from '../../../entries/server.ts';
import type { StoredTask, TaskQuestion, TaskReply } from '../store.ts';
import { isFinal, RELATED_TASK } from '../task.ts';
import { unknownTask } from './find.ts';
import { follow } from './follow.ts';
import type { Office } from './office.ts';
import { isObject } from './shapes.ts';
import { answered, openQuestions } from './state.ts';

/** Those who wait for one task. */
interface Queue {
  /** Each looks whether there is something to ask. */
  readonly calls: Set<() => void>;
  /** The keys of questions that somebody is being asked, or has answered. */
  readonly asking: Set<string>;
}

/** Everybody who waits for a task of this office. A question is put by one of them at a time. */
export class WaitingRoom {
  readonly #office: Office;
  readonly #queues = new Map<string, Queue>();

  constructor(office: Office) {
    this.#office = office;
  }

  /** The task when it is over. Questions its caller does not answer stay open for the next who waits. */
  wait(taskId: string, ctx: Context): Promise<StoredTask> {
    const { signal } = ctx;
    const queue = this.#queueFor(taskId);
    // What this client could not be asked it is not asked again.
    const failed = new Set<string>();
    let task: StoredTask | undefined;
    return new Promise((resolve, reject) => {
      const look = (): void => {
        for (const question of task ? openQuestions(task) : []) {
          if (!queue.asking.has(question.key) && !failed.has(question.key)) void put(question);
        }
      };
      const put = async (question: TaskQuestion): Promise<void> => {
        const { key } = question;
        queue.asking.add(key);
        if (await this.#ask(taskId, question, ctx)) return;
        queue.asking.delete(key);
        failed.add(key);
        for (const other of queue.calls) other();
      };
      const leave = (): void => {
        stop();
        signal.removeEventListener('abort', giveUp);
        queue.calls.delete(look);
        if (queue.calls.size === 0 && this.#queues.get(taskId) === queue) this.#queues.delete(taskId);
      };
      const fail = (error: unknown): void => {
        leave();
        reject(error);
      };
      const giveUp = (): void => fail(RpcError.internal('The call was given up'));
      const hear = (seen: StoredTask | undefined): void => {
        task = seen;
        if (!seen) {
          fail(unknownTask());
        } else if (!isFinal(seen.status)) {
          look();
        } else {
          leave();
          resolve(seen);
        }
      };
      let stop = (): void => {};
      queue.calls.add(look);
      signal.addEventListener('abort', giveUp, { once: true });
      stop = follow(this.#office, taskId, hear, fail);
      if (signal.aborted) giveUp();
    });
  }

  #queueFor(taskId: string): Queue {
    const queue = this.#queues.get(taskId) ?? { calls: new Set(), asking: new Set() };
    this.#queues.set(taskId, queue);
    return queue;
  }

  /** Puts a question to a client. False if it is as open as before. */
  async #ask(taskId: string, question: TaskQuestion, ctx: Context): Promise<boolean> {
    const reply = await replyOf(ctx, related(taskId, question));
    if (!reply) return false;
    const replies = new Map([[question.key, reply]]);
    try {
      await this.#office.store.change(taskId, (task) => answered(Date.now(), task, replies));
      return true;
    } catch (error) {
      this.#office.report(error);
      return false;
    }
  }
}

/** What the client says to it; undefined if it says nothing. An error is an answer, too: the handler has to know. */
async function replyOf(ctx: Context, question: Question): Promise<TaskReply | undefined> {
  try {
    return { answer: { ...(await ctx.ask(question)) } };
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof RpcError)) return undefined;
    // What the client itself said; the handler is told in which words to take it.
    return { error: (error.cause instanceof RpcError ? error.cause : error).toObject() };
  }
}

function related(taskId: string, { request }: TaskQuestion): Question {
  const { method, params } = request;
  const meta = params?.['_meta'];
  const _meta = { ...(isObject(meta) ? meta : {}), [RELATED_TASK]: { taskId } };
  return { method, params: { ...params, _meta } } as Question;
}

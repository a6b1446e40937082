/** Calls that wait for the end of a task, and put its questions to their clients meanwhile. */

import { type InputRequest, type Params, RpcError } from '../../../entries/mcpp.ts';
import type { Context } from '../../../entries/server.ts';
import { isObject } from '../object.ts';
import type { StoredTask, TaskQuestion, TaskReply } from '../store.ts';
import { isFinal, RELATED_TASK } from '../task.ts';
import { unknownTask } from './find.ts';
import { follow } from './follow.ts';
import type { Office } from './office.ts';
import { answered, openQuestions } from './state.ts';

/** A call that waits. */
interface Call {
  readonly ctx: Context;
  /** The keys of questions that its client could not be asked: it is not asked them again. */
  readonly failed: Set<string>;
}

/** A question that is being put, and by which call. */
interface Asking {
  readonly call: Call;
  /** Takes it back. */
  readonly abort: AbortController;
}

/** Those who wait for one task. */
interface Queue {
  /** The newest last. */
  readonly calls: Call[];
  readonly asking: Map<string, Asking>;
  /** The task as one of them has seen it last. */
  task: StoredTask | undefined;
}

/**
 * Everybody who waits for a task of this office. A question is put by one of them at a time, and that is the newest: of
 * the older ones nobody knows whether their clients are still there, because one that goes away need not say so.
 */
export class WaitingRoom {
  readonly #office: Office;
  readonly #queues = new Map<string, Queue>();

  constructor(office: Office) {
    this.#office = office;
  }

  /** The task when it is over. Questions its caller does not answer stay open for others who wait. */
  async wait(taskId: string, ctx: Context): Promise<StoredTask> {
    const { signal } = ctx;
    const queue = this.#queueFor(taskId);
    const call: Call = { ctx, failed: new Set() };
    queue.calls.push(call);
    let stop = (): void => {};
    let giveUp = (): void => {};
    try {
      return await new Promise((resolve, reject) => {
        giveUp = () => reject(RpcError.internal('The call was given up'));
        signal.addEventListener('abort', giveUp, { once: true });
        if (signal.aborted) giveUp();
        const hear = (task: StoredTask | undefined): void => {
          if (task) this.#see(queue, task);
          if (!task) reject(unknownTask());
          else if (isFinal(task.status)) resolve(task);
        };
        stop = follow(this.#office, taskId, hear, reject);
      });
    } finally {
      stop();
      signal.removeEventListener('abort', giveUp);
      queue.calls.splice(queue.calls.indexOf(call), 1);
      if (queue.calls.length === 0) this.#queues.delete(taskId);
      this.#assign(queue);
    }
  }

  #queueFor(taskId: string): Queue {
    const queue = this.#queues.get(taskId) ?? { calls: [], asking: new Map(), task: undefined };
    this.#queues.set(taskId, queue);
    return queue;
  }

  #see(queue: Queue, task: StoredTask): void {
    if (!queue.task || task.version > queue.task.version) queue.task = task;
    this.#assign(queue);
  }

  /** Sees to it that each open question is put by the newest call that can put it, and that no other is put. */
  #assign(queue: Queue): void {
    const open = queue.task ? openQuestions(queue.task) : [];
    const askers = new Map(open.map(({ key }) => [key, queue.calls.findLast(({ failed }) => !failed.has(key))]));
    for (const [key, { call, abort }] of queue.asking) {
      if (askers.get(key) === call) continue;
      queue.asking.delete(key);
      abort.abort();
    }
    for (const question of open) {
      const call = askers.get(question.key);
      if (call && !queue.asking.has(question.key)) void this.#put(queue, question, call);
    }
  }

  async #put(queue: Queue, question: TaskQuestion, call: Call): Promise<void> {
    const { key } = question;
    const asking: Asking = { call, abort: new AbortController() };
    queue.asking.set(key, asking);
    const { taskId } = queue.task as StoredTask;
    const reply = await replyOf(call.ctx, related(taskId, question), asking.abort.signal);
    const task = reply && (await this.#keep(taskId, new Map([[key, reply]])));
    if (task) return this.#see(queue, task);
    // Somebody else puts it by now.
    if (queue.asking.get(key) !== asking) return;
    queue.asking.delete(key);
    call.failed.add(key);
    this.#assign(queue);
  }

  async #keep(taskId: string, replies: ReadonlyMap<string, TaskReply>): Promise<StoredTask | undefined> {
    try {
      return await this.#office.store.change(taskId, (task) => answered(Date.now(), task, replies));
    } catch (error) {
      this.#office.report(error);
      return undefined;
    }
  }
}

/** What the client says to it; undefined if it says nothing. An error is an answer, too: the handler has to know. */
async function replyOf(ctx: Context, question: InputRequest, signal: AbortSignal): Promise<TaskReply | undefined> {
  try {
    return { answer: { ...(await ctx.ask(question, { signal })) } };
  } catch (error) {
    if (signal.aborted || ctx.signal.aborted || !(error instanceof RpcError)) return undefined;
    // What the client itself said; the handler is told in which words to take it.
    return { error: (error.cause instanceof RpcError ? error.cause : error).toObject() };
  }
}

function related(taskId: string, { request }: TaskQuestion): InputRequest {
  const { method } = request;
  const params: Params | undefined = request.params as Params | undefined;
  const meta = params?.['_meta'];
  const _meta = { ...(isObject(meta) ? meta : {}), [RELATED_TASK]: { taskId } };
  return { method, params: { ...params, _meta } } as InputRequest;
}

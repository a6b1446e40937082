/** Waiting `tasks/result` requests of 2025-11-25, on which the input requests of a task are sent to the client. */

import { type InputRequest, type Params, RpcError } from '../../../entries/mcpp.ts';
import type { Context } from '../../../entries/server.ts';
import { isObject } from '../object.ts';
import type { StoredTask, TaskQuestion, TaskReply } from '../store.ts';
import { isFinal, RELATED_TASK } from '../task.ts';
import { unknownTask } from './find.ts';
import { follow } from './follow.ts';
import type { Office } from './office.ts';
import { answered, openQuestions } from './state.ts';

/** A waiting `tasks/result` request. */
interface Call {
  readonly ctx: Context;
  /** Keys of input requests that failed on this request, and are not sent on it again. */
  readonly failed: Set<string>;
}

/** A sent input request, and the `tasks/result` request on which it was sent. */
interface Asking {
  readonly call: Call;
  /** Cancels the input request. */
  readonly abort: AbortController;
}

/** Waiting `tasks/result` requests for one task. */
interface Queue {
  /** Waiting requests, the newest last. */
  readonly calls: Call[];
  readonly asking: Map<string, Asking>;
  /** Newest known state of the task. */
  task: StoredTask | undefined;
}

/** Sends input requests only on the newest `tasks/result` request of a task: older clients can have disconnected unnoticed. */
export class WaitingRoom {
  readonly #office: Office;
  readonly #queues = new Map<string, Queue>();

  constructor(office: Office) {
    this.#office = office;
  }

  /** Returns the task when it is final. Input requests without a response stay open for other waiting requests. */
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

  /** Sends each open input request on the newest `tasks/result` request where it has not failed, and cancels it elsewhere. */
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
    // The input request was closed, or sent again on another `tasks/result` request.
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

/** Returns the response or error of the client to an input request; undefined if the client sent neither. */
async function replyOf(ctx: Context, question: InputRequest, signal: AbortSignal): Promise<TaskReply | undefined> {
  try {
    return { answer: { ...(await ctx.ask(question, { signal })) } };
  } catch (error) {
    if (signal.aborted || ctx.signal.aborted || !(error instanceof RpcError)) return undefined;
    // The cause is the original error of the client. It is stored unwrapped, because the handler's call wraps it again.
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

/** `TaskDesk`: the detached call of one task. Handler and client communicate through the task store. */

import { ErrorCode, type InputRequest, RpcError } from '../../../entries/mcpp.ts';
import type { DetachedCall } from '../../../entries/server.ts';
import { expiresAt, NoRoomError, type StoredTask, type TaskReply } from '../store.ts';
import { isFinal } from '../task.ts';
import type { Office } from './office.ts';
import { asked, ended, progressed, seenAt, type TaskOutcome } from './state.ts';

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** Prefixes for the keys of input requests, by method. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

/** Receives input requests, progress and outcome of a detached handler, and writes them to the task store. */
export class TaskDesk implements DetachedCall {
  readonly #office: Office;
  readonly #taskId: string;
  readonly #abort = new AbortController();
  /** Input requests of the handler without a response, by key. */
  readonly #waiting = new Map<string, Waiting>();
  /** Keys of input requests whose responses the handler has received. The next input request removes them from the store. */
  #settled: string[] = [];
  #questions = 0;
  /** Latest status message that is not written yet. */
  #message: string | undefined;
  #isTelling = false;
  #isEnding = false;
  #isClosed = false;
  readonly #onEnd: () => void;
  readonly #leave: readonly (() => void)[];

  /** Calls `onEnd` when the handler has settled, which can be long after the end of the task. */
  constructor(office: Office, task: StoredTask, onEnd: () => void = () => {}) {
    this.#office = office;
    this.#taskId = task.taskId;
    this.#onEnd = onEnd;
    this.#leave = [
      office.store.watch(task.taskId, (changed) => this.#hear(changed)),
      office.alarms.set(expiresAt(task), () => void this.#expire()),
    ];
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  ask(question: InputRequest): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(this.#abort.signal.reason ?? OVER);
    const key = `${WORDS.get(question.method) ?? 'question'}-${++this.#questions}`;
    const settled = this.#settled;
    this.#settled = [];
    return new Promise((resolve, reject) => {
      this.#waiting.set(key, { resolve, reject });
      const request = asJson(question);
      this.#change((now, task) => asked(now, task, { key, request }, settled)).catch((error: unknown) => {
        this.#waiting.delete(key);
        reject(error);
      });
    });
  }

  progress(progress: number, total?: number, message?: string): void {
    if (this.#isClosed) return;
    this.#message = message ?? (total === undefined ? `${progress}` : `${progress}/${total}`);
    if (!this.#isTelling) void this.#tell();
  }

  async end(outcome: { readonly result: object } | TaskOutcome): Promise<void> {
    this.#onEnd();
    if (this.#isClosed) return;
    this.#isEnding = true;
    try {
      // A copy, because the handler can modify its result later.
      const copy = asJson(outcome) as TaskOutcome;
      await this.#change((now, task) => ended(now, task, copy));
    } catch (error) {
      await this.#fail(error);
    } finally {
      this.#close(undefined);
    }
  }

  /** Ends the task with an error, because its outcome could not be stored. Rethrows `cause`. */
  async #fail(cause: unknown): Promise<void> {
    const message =
      cause instanceof NoRoomError
        ? 'The server has no room to keep what came of the task'
        : 'What came of the task could not be kept';
    const error = { code: ErrorCode.InternalError, message };
    await this.#change((now, task) => ended(now, task, { error })).catch(() => {});
    throw cause;
  }

  /** Writes status messages, one at a time. Of the messages that arrive during a write, only the last is written. */
  async #tell(): Promise<void> {
    this.#isTelling = true;
    while (this.#message !== undefined && !this.#isClosed) {
      const message = this.#message;
      this.#message = undefined;
      await this.#change((now, task) => progressed(now, task, message)).catch((error) => this.#office.report(error));
    }
    this.#isTelling = false;
  }

  /** Aborts the handler at the end of the task's lifetime, before a slow store has saved the new state. */
  async #expire(): Promise<void> {
    if (this.#isEnding) return;
    this.#close(RpcError.internal('The task expired'));
    await this.#change(seenAt).catch((error: unknown) => this.#office.report(error));
  }

  async #change(step: (now: number, task: StoredTask) => StoredTask): Promise<void> {
    const changed = await this.#office.store.change(this.#taskId, (task) => step(Date.now(), task));
    if (changed) this.#hear(changed);
    else this.#close(RpcError.internal('The task is not kept any more'));
  }

  #hear({ status, statusMessage, questions }: StoredTask): void {
    if (this.#isClosed) return;
    for (const { key, reply } of questions) if (reply) this.#settle(key, reply);
    if (!isFinal(status)) return;
    this.#close(this.#isEnding ? undefined : RpcError.internal(statusMessage ?? OVER.message));
  }

  #settle(key: string, reply: TaskReply): void {
    const waiting = this.#waiting.get(key);
    if (!waiting) return;
    this.#waiting.delete(key);
    this.#settled.push(key);
    if ('answer' in reply) waiting.resolve(reply.answer);
    else waiting.reject(RpcError.from(reply.error));
  }

  /** Stops watching the task, and rejects open input requests. With a reason, also aborts the handler. */
  #close(reason: Error | undefined): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const leave of this.#leave) leave();
    for (const { reject } of this.#waiting.values()) reject(reason ?? OVER);
    this.#waiting.clear();
    if (reason) this.#abort.abort(reason);
  }
}

const OVER = RpcError.internal('The task is over');

function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

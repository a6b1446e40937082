/** `TaskHandle`: a tool call whose result is fetched later. */

import type { ExtensionConnection, Subscription, ToolCallResult } from '../../../entries/client.ts';
import { ConnectionError, type Params } from '../../../entries/mcpp.ts';
import { type DetailedTask, isFinal } from '../task.ts';
import { follow, lookAt } from './follow.ts';
import { askAbout, type CommonOptions, nameOfCall } from './followed.ts';
import { formOf, type TaskForm } from './form.ts';
import type { SavedTask } from './saved-task.ts';
import { Shared } from './shared.ts';
import { watchTask } from './watch-task.ts';

export type TaskListener = (task: DetailedTask) => void;

/** Options of `refresh`, `cancel` and `watch` of a `TaskHandle`. */
export interface TaskRequestOptions {
  /** Aborting rejects the method, or ends the subscription of `watch`. The task continues: only `cancel` ends it. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `TaskHandle.result`. */
export interface TaskResultOptions extends TaskRequestOptions {
  /** Called with the task whenever its state has changed. An exception rejects `result`. */
  readonly onStatus?: TaskListener | undefined;
}

/**
 * A call made with `callToolAsTask`. `JSON.stringify(handle)` saves the call, and `resumeTask` restores it, also in another
 * process. `Output` is the output type of the tool, if known.
 */
export class TaskHandle<Output = unknown> {
  readonly #peer: ExtensionConnection;
  readonly #tool: string;
  readonly #options: CommonOptions;
  readonly #answered: Set<string>;
  readonly #following: Shared<Params, DetailedTask> = new Shared((signal, tell) => this.#follow(signal, tell));
  #task: DetailedTask | undefined;
  /** Time of the last message from the server with the task, in milliseconds since 1970. */
  #seenAt: number | undefined;
  #result: Params | undefined;

  /** Internal: `callToolAsTask` and `resumeTask` create handles. */
  constructor(peer: ExtensionConnection, saved: SavedTask, options: CommonOptions = {}, seenAt?: number) {
    this.#peer = peer;
    this.#tool = saved.tool;
    this.#options = options;
    this.#answered = new Set(saved.answered);
    this.#task = saved.task;
    this.#seenAt = seenAt;
    this.#result = saved.result;
  }

  /** Id of the task. Undefined if the server created no task. */
  get taskId(): string | undefined {
    return this.#task?.taskId;
  }

  /** Last known state of the task. Undefined if the server created no task. */
  get task(): DetailedTask | undefined {
    return this.#task;
  }

  /** Requests the state of the task from the server. Resolves to undefined if the server created no task. */
  async refresh({ signal = unaborted() }: TaskRequestOptions = {}): Promise<DetailedTask | undefined> {
    return this.#task && this.#take(await lookAt(this.#about(this.#task), signal));
  }

  /**
   * Waits for the result. Input requests go to the handlers of the connection. Concurrent calls of `result` share one wait.
   * Rejects with the `RpcError` of a failed call. Aborting `signal` ends the wait, but not the task.
   */
  async result({ signal, onStatus }: TaskResultOptions = {}): Promise<ToolCallResult<Output>> {
    this.#result ??= await this.#following.wait({ what: this.#what, signal, onNews: onStatus });
    return this.#result as never;
  }

  /** Sends `tasks/cancel`, unless there is no task or its last known status is final. The task can still complete. */
  async cancel({ signal = unaborted() }: TaskRequestOptions = {}): Promise<void> {
    if (this.#task && !isFinal(this.#task.status)) await askAbout(this.#about(this.#task), 'tasks/cancel', {}, signal);
  }

  /**
   * Subscribes to the task with `subscriptions/listen`. Calls the listener with the current state and after each change, and
   * closes the subscription when the task is final. Does not respond to input requests. Rejects in revisions before 2026-07-28.
   */
  async watch(listener: TaskListener, { signal }: TaskRequestOptions = {}): Promise<Subscription> {
    const task = this.#task;
    if (!task) throw new ConnectionError('refused', `${this.#what} was answered at once: there is no task to watch`);
    let told: DetailedTask | undefined;
    return watchTask({
      ...this.#about(task),
      taskId: task.taskId,
      signal,
      look: () => lookAt(this.#about(task), signal ?? unaborted()),
      hear: (news) => {
        const present = this.#take(news);
        if (present === told) return;
        told = present;
        listener(present);
      },
    });
  }

  /** Returns the data that `resumeTask` needs. */
  toJSON(): SavedTask {
    const task = this.#task;
    const { result, ...bare } = task ?? {};
    return {
      revision: this.#peer.revision,
      tool: this.#tool,
      ...(task ? { task: this.#result ? (bare as DetailedTask) : task } : {}),
      ...(this.#answered.size > 0 ? { answered: [...this.#answered] } : {}),
      ...(this.#result ? { result: this.#result } : {}),
    };
  }

  get #what(): string {
    return nameOfCall(this.#tool);
  }

  #about(task: DetailedTask): {
    peer: ExtensionConnection;
    form: TaskForm;
    task: DetailedTask;
    what: string;
    options: CommonOptions;
  } {
    return { peer: this.#peer, form: formOf(this.#peer), task, what: this.#what, options: this.#options };
  }

  async #follow(signal: AbortSignal, tell: TaskListener): Promise<Params> {
    const task = this.#task as DetailedTask;
    const result = await follow({
      ...this.#about(task),
      seenAt: this.#seenAt,
      signal,
      answered: this.#answered,
      onTask: (seen) => {
        const before = this.#task;
        const present = this.#take(seen);
        if (present !== before) tell(present);
      },
    });
    // The result can arrive before a poll shows that the task is final.
    const { status } = this.#task as DetailedTask;
    if (!isFinal(status)) this.#task = { ...(this.#task as DetailedTask), status: 'completed' };
    return this.#peer.accept('tools/call', { name: this.#tool }, result);
  }

  // Responses can arrive out of order, so older states are ignored. Returns the known object if the state has not changed.
  #take(seen: DetailedTask): DetailedTask {
    this.#seenAt = Date.now();
    const known = this.#task;
    if (known && (isOlder(seen, known) || JSON.stringify(seen) === JSON.stringify(known))) return known;
    this.#task = seen;
    return seen;
  }
}

function isOlder(seen: DetailedTask, known: DetailedTask): boolean {
  if (isFinal(known.status)) return !isFinal(seen.status);
  return Date.parse(seen.lastUpdatedAt) < Date.parse(known.lastUpdatedAt);
}

function unaborted(): AbortSignal {
  return new AbortController().signal;
}

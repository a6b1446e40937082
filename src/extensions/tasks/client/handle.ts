/** A call of a tool that may have become a task: to be waited for, asked about, cancelled, and kept as JSON. */

import type { ExtensionConnection, Subscription, ToolCallResult } from '../../../entries/client.ts';
import { ConnectionError, type Params } from '../../../entries/mcpp.ts';
import { type DetailedTask, isFinal } from '../task.ts';
import { follow, lookAt } from './follow.ts';
import { askAbout, type CommonOptions, nameOfCall } from './followed.ts';
import { formOf, type TaskForm } from './form.ts';
import type { SavedTask } from './saved-task.ts';
import { Shared } from './shared.ts';
import { watchTask } from './watch-task.ts';

/** Is told how a task stands. */
export type TaskListener = (task: DetailedTask) => void;

/** Options of what is asked about a task. */
export interface TaskRequestOptions {
  /** Gives the asking up. The task goes on: only `cancel` ends it. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `TaskHandle.result`. */
export interface TaskResultOptions extends TaskRequestOptions {
  /** Is told how the task stands, whenever that has changed. What it throws ends the waiting. */
  readonly onStatus?: TaskListener | undefined;
}

/**
 * A call that was made with `callToolAsTask`. `JSON.stringify(handle)` keeps it, and `resumeTask` goes on with it, in
 * another process too. `Output` is what the tool's output schema says, if that is known.
 */
export class TaskHandle<Output = unknown> {
  readonly #peer: ExtensionConnection;
  readonly #tool: string;
  readonly #options: CommonOptions;
  readonly #answered: Set<string>;
  readonly #following: Shared<Params, DetailedTask> = new Shared((signal, tell) => this.#follow(signal, tell));
  #task: DetailedTask | undefined;
  /** When the server showed it last. */
  #seenAt: number | undefined;
  #result: Params | undefined;

  /** For this package: `callToolAsTask` and `resumeTask` make handles. */
  constructor(peer: ExtensionConnection, saved: SavedTask, options: CommonOptions = {}, seenAt?: number) {
    this.#peer = peer;
    this.#tool = saved.tool;
    this.#options = options;
    this.#answered = new Set(saved.answered);
    this.#task = saved.task;
    this.#seenAt = seenAt;
    this.#result = saved.result;
  }

  /** The id of the task. Undefined if the server answered at once, without one. */
  get taskId(): string | undefined {
    return this.#task?.taskId;
  }

  /** The task as it was last seen. Undefined if there is none. */
  get task(): DetailedTask | undefined {
    return this.#task;
  }

  /** Asks the server how the task stands. Undefined if there is none. */
  async refresh({ signal = unaborted() }: TaskRequestOptions = {}): Promise<DetailedTask | undefined> {
    return this.#task && this.#take(await lookAt(this.#about(this.#task), signal));
  }

  /**
   * Waits for the result, and answers what the server asks on the way by the handlers of the connection. Rejects with
   * the `RpcError` of a call that failed. It can be called again and again, several times at once too: server and people
   * are asked only once. Aborting `signal` ends the waiting and not the task: `result` can be called again, or `cancel`.
   */
  async result({ signal, onStatus }: TaskResultOptions = {}): Promise<ToolCallResult<Output>> {
    this.#result ??= await this.#following.wait({ what: this.#what, signal, onNews: onStatus });
    return this.#result as never;
  }

  /**
   * Tells the server that the result is not wanted any more. Whether and when it stops is for the server to decide; the
   * task may still end with a result. Nothing is sent if there is no task, or if it was final when it was last seen.
   */
  async cancel({ signal = unaborted() }: TaskRequestOptions = {}): Promise<void> {
    if (this.#task && !isFinal(this.#task.status)) await askAbout(this.#about(this.#task), 'tasks/cancel', {}, signal);
  }

  /**
   * Has the server tell how the task stands, so that nobody need ask. The listener is told at once and whenever that
   * changes, until the task is final: then the subscription is closed. Questions are not answered by it, `result` does
   * that. Revisions before 2026-07-28 have nothing of the kind.
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

  /** What is needed to go on with it later. */
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
    // It may have come before the task was seen to be final.
    const { status } = this.#task as DetailedTask;
    if (!isFinal(status)) this.#task = { ...(this.#task as DetailedTask), status: 'completed' };
    return this.#peer.accept('tools/call', { name: this.#tool }, result);
  }

  // What was asked first may be answered last. A task that is the same stays the same object.
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

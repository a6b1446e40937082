/** Where tasks are kept: what is kept of one, and what a store of them can do. */

import type { ErrorObject, InputRequest } from '../../entries/mcpp.ts';
import { isFinal, type TaskStatus } from './task.ts';

/** What came back for a question: an answer, or the error the client has in its place. */
export type TaskReply = { readonly answer: Readonly<Record<string, unknown>> } | { readonly error: ErrorObject };

/** A question of a task. It is open until there is a reply. */
export interface TaskQuestion {
  /** Its name within the task; no other question of the task has it, before or after. */
  readonly key: string;
  readonly request: InputRequest;
  readonly reply?: TaskReply;
}

/**
 * A task as it is kept: JSON, and never changed in place. A store keeps all of it, also what is not named here; it needs
 * to look only at `taskId`, `owner`, `revision`, `version` and `createdAt`.
 */
export interface StoredTask {
  /** 40 hexadecimal digits, which nobody can guess. */
  readonly taskId: string;
  /** Whose it is: one text per principal, and the empty one for callers nobody vouches for. */
  readonly owner: string;
  /** The protocol revision of the call: questions and result are in its words, and only its requests find the task. */
  readonly revision: string;
  /** The process that runs the handler, by an id that it made when it started. */
  readonly node?: string;
  /** 1 at first, and one more with every change. */
  readonly version: number;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. */
  readonly lastUpdatedAt: number;
  /** How long it is kept from its creation on, in milliseconds; null is for ever. */
  readonly ttlMs: number | null;
  /** How often clients are to ask for it, in milliseconds. */
  readonly pollIntervalMs: number;
  /** In the order they were put. Empty once the task is over. */
  readonly questions: readonly TaskQuestion[];
  /** With `completed`: what the call would have been answered with. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** With `failed`: the error it would have been answered with. */
  readonly error?: ErrorObject;
}

/** Which tasks to list: those of one owner and one revision. */
export interface TaskQuery {
  readonly owner: string;
  readonly revision: string;
  /** Where the page before this one ended. A client says it, so it may be anything. */
  readonly cursor?: string | undefined;
  /** How many at most. */
  readonly limit: number;
}

/** Some of the tasks, and how to get the next. */
export interface TaskPage {
  readonly tasks: readonly StoredTask[];
  /** Left out on the last page. It has to be good also when the task it stands for is gone. */
  readonly nextCursor?: string | undefined;
}

/**
 * Keeps tasks. Several processes may share one: whatever befalls a task goes through its store, and the process that
 * runs the handler hears of it from there.
 *
 * A store has three duties beside keeping. It keeps a task until `keptUntil(task)` says, asked anew with each change, and
 * then drops it: nobody else does, and nobody is told. It bounds what it keeps, in all and for each owner, by refusing what
 * is new. And it settles what it promises: a call waits for it as long as it takes. Who may see a task is not its
 * business; the owner is there for bounds and for `list`.
 */
export interface TaskStore {
  /** Resolves when the store can be used. For the code that made the store: servers do not call it. */
  ready?(): void | Promise<void>;
  /** Closes its connections. For the code that made the store. */
  close?(): void | Promise<void>;
  /**
   * Keeps a new task. Resolves when it is safe, and `get` finds it on every node. Rejects with a `NoRoomError` if there is
   * no room, and with any other error if it cannot be kept; then nothing of it is kept.
   */
  create(task: StoredTask): Promise<void>;
  /** The task as it is now, with every change that has resolved by now; undefined if there is none. */
  get(taskId: string): Promise<StoredTask | undefined>;
  /**
   * Changes a task: gives `step` what is kept, and keeps what it gives. Nothing may come between these two, on any node:
   * take a lock, or keep the new state only if the `version` is still the one `step` got, and begin again if it is not.
   * That a task ends once depends on it. `step` only computes, so it may be called more than once; if it gives back the
   * very object it got, nothing changes and nobody is told. Resolves with what is kept then; with undefined if there is no
   * such task. Rejects with a `NoRoomError` if there is no room for what `step` gave; then all is as before. A store that
   * cannot promise room for a short error, with which a task ends, deletes the task instead.
   */
  change(taskId: string, step: (task: StoredTask) => StoredTask): Promise<StoredTask | undefined>;
  /**
   * Tasks of one owner in one revision, the oldest first, and no more than `limit`; undefined if the cursor is not one
   * that this store gives. Only for clients of 2025-11-25 whose principal is known: the owner is never empty.
   */
  list(query: TaskQuery): Promise<TaskPage | undefined>;
  /**
   * Tells of every change, made here or elsewhere, until the returned function is called; that may be called twice. It is
   * how a cancellation and an answer reach the handler, so none may get lost: a store that needs time to begin, or that
   * lost touch for a while, tells the state it finds afterwards. It may tell the same twice, tell late, and leave out what
   * is outdated by a newer state. It does not throw; what goes wrong later is the store's to mend and to report.
   */
  watch(taskId: string, listener: (task: StoredTask) => void): () => void;
}

/** What a store rejects with that is full, or to which a task is too big. The message is for the server's log. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
}

const LEAST_GRACE_MS = 1_000;
const MOST_GRACE_MS = 60_000;

/** When the time of a task is over, in milliseconds since 1970. */
export function expiresAt({ createdAt, ttlMs }: StoredTask): number {
  return ttlMs === null ? Number.POSITIVE_INFINITY : createdAt + ttlMs;
}

/**
 * Until when a store keeps a task, in milliseconds since 1970, or `Infinity`. That is until its time is over, and a little
 * longer where clients could not have seen yet how it ended. The end of a task can move it, so it is asked with each change.
 */
export function keptUntil(task: StoredTask): number {
  const grace = Math.min(Math.max(2 * task.pollIntervalMs, LEAST_GRACE_MS), MOST_GRACE_MS);
  const end = expiresAt(task);
  return isFinal(task.status) ? Math.max(end, task.lastUpdatedAt + grace) : end + grace;
}

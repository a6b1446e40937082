/** `TaskStore`, the interface of task stores, and the stored form of tasks. */

import type { ErrorObject, InputRequest } from '../../entries/mcpp.ts';
import { isFinal, type TaskStatus } from './task.ts';

/** Outcome of an input request: the input response, or the error that the client sent instead. */
export type TaskReply = { readonly answer: Readonly<Record<string, unknown>> } | { readonly error: ErrorObject };

/** An input request of a task. It is open until it has a `reply`. */
export interface TaskQuestion {
  /** Key of the input request, never used again in the same task. */
  readonly key: string;
  readonly request: InputRequest;
  readonly reply?: TaskReply;
}

/**
 * A task in a store: JSON that is never modified in place. A store keeps all members, including unknown ones, and itself needs
 * only `taskId`, `owner`, `revision`, `version` and `createdAt`.
 */
export interface StoredTask {
  /** 160 random bits as 40 hexadecimal digits, which cannot be guessed. */
  readonly taskId: string;
  /** Key of the principal that made the call. Empty for unauthenticated callers. */
  readonly owner: string;
  /** Protocol revision of the call, for which input requests and result are encoded. Other revisions do not find the task. */
  readonly revision: string;
  /** Random id of the process that runs the handler. */
  readonly node?: string;
  /** Number of the state: 1 at first, and 1 more after each change. */
  readonly version: number;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. */
  readonly lastUpdatedAt: number;
  /** Lifetime from the creation, in milliseconds; null for unlimited. */
  readonly ttlMs: number | null;
  /** Poll interval that clients are asked to use, in milliseconds. */
  readonly pollIntervalMs: number;
  /** Input requests in the order of their creation. Empty once the task is final. */
  readonly questions: readonly TaskQuestion[];
  /** With status `completed`: the result of the call. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** With status `failed`: the error of the call. */
  readonly error?: ErrorObject;
}

/** Query for tasks of one owner and one revision. */
export interface TaskQuery {
  readonly owner: string;
  readonly revision: string;
  /** `nextCursor` of the previous page. Untrusted, because a client sent it. */
  readonly cursor?: string | undefined;
  /** Maximum number of tasks on the page. */
  readonly limit: number;
}

/** One page of tasks. */
export interface TaskPage {
  readonly tasks: readonly StoredTask[];
  /** Cursor of the next page; omitted on the last page. Must stay valid when tasks are deleted. */
  readonly nextCursor?: string | undefined;
}

/**
 * Stores tasks, also for several processes. All changes of a task go through the store, and the process that runs the handler
 * watches the task there. Access checks are not part of a store.
 * A store must keep a task until `keptUntil(task)`, computed again after each change, and then delete it without notice. It
 * must limit what it keeps, in total and per owner, by rejecting new data. It must settle all promises, because calls wait for
 * them without a timeout.
 */
export interface TaskStore {
  /** Resolves when the store can be used. For the application; servers do not call it. */
  ready?(): void | Promise<void>;
  /** Closes the connections of the store. For the application; servers do not call it. */
  close?(): void | Promise<void>;
  /**
   * Stores a new task. Resolves when the task is durable and `get` finds it on every node. Rejects with a `NoRoomError` if the
   * store is full, and with another error if saving fails; then nothing is stored.
   */
  create(task: StoredTask): Promise<void>;
  /** Returns the task with all changes that have resolved, or undefined if there is no such task. */
  get(taskId: string): Promise<StoredTask | undefined>;
  /**
   * Replaces a task by the return value of `step`, atomically across all nodes: use a lock, or compare `version` and retry.
   * Atomicity guarantees that a task ends only once. `step` is pure and may be called more than once. If it returns the same
   * object, nothing changes and no listener is called. Resolves to the stored task, or to undefined if there is none. Rejects
   * with a `NoRoomError` if there is no room; then the task is unchanged. A store without room even for a short error, with
   * which a task ends, deletes the task instead.
   */
  change(taskId: string, step: (task: StoredTask) => StoredTask): Promise<StoredTask | undefined>;
  /** Returns a page of tasks, the oldest first; undefined for an invalid cursor. Called only for authenticated clients. */
  list(query: TaskQuery): Promise<TaskPage | undefined>;
  /**
   * Calls `listener` after each change of a task on any node, until the returned function is called, which is idempotent. No
   * change may be lost, because cancellations and input responses reach the handler this way: after a delayed start or a
   * reconnect, the store calls `listener` with the current state. States may be repeated, late, or skipped if a newer one
   * follows. Does not throw: the store retries and reports later errors itself.
   */
  watch(taskId: string, listener: (task: StoredTask) => void): () => void;
}

/** Rejection of a store that is full, or of a task that is too large. The message is not sent to clients. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
}

const LEAST_GRACE_MS = 1_000;
const MOST_GRACE_MS = 60_000;

/** Returns the end of a task's lifetime, in milliseconds since 1970, or `Infinity`. */
export function expiresAt({ createdAt, ttlMs }: StoredTask): number {
  return ttlMs === null ? Number.POSITIVE_INFINITY : createdAt + ttlMs;
}

/**
 * Returns the time until which a store keeps a task, in milliseconds since 1970, or `Infinity`: the end of its lifetime, or a
 * little later if clients could not have seen the outcome yet. A change of the task can change this time.
 */
export function keptUntil(task: StoredTask): number {
  const grace = Math.min(Math.max(2 * task.pollIntervalMs, LEAST_GRACE_MS), MOST_GRACE_MS);
  const end = expiresAt(task);
  return isFinal(task.status) ? Math.max(end, task.lastUpdatedAt + grace) : end + grace;
}

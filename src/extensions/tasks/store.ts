/** Where tasks are kept: what is kept of one, and what a store of them can do. */

import type { ErrorObject } from '../../entries/mcpp.ts';
import { type InputRequest, isFinal, type TaskStatus } from './task.ts';

/** What came back for a question: an answer, or the error the client has in its place. */
export type TaskReply = { readonly answer: Readonly<Record<string, unknown>> } | { readonly error: ErrorObject };

/** A question of a task. It is open until there is a reply. */
export interface TaskQuestion {
  /** Its name within the task; no other question of the task has it, before or after. */
  readonly key: string;
  readonly request: InputRequest;
  readonly reply?: TaskReply;
}

/** A task as it is kept: JSON, and never changed in place. */
export interface StoredTask {
  readonly taskId: string;
  /** Whose it is: one text per principal, and the empty one for callers nobody vouches for. */
  readonly owner: string;
  /** The protocol revision of the call: questions and result are in its words, and only its requests find the task. */
  readonly revision: string;
  /** Grows with every change. */
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

/** Which tasks to list. */
export interface TaskQuery {
  readonly owner: string;
  readonly revision: string;
  /** Where the page before this one ended. */
  readonly cursor?: string | undefined;
  /** How many at most. */
  readonly limit: number;
}

/** Some of the tasks, and how to get the next. */
export interface TaskPage {
  readonly tasks: readonly StoredTask[];
  readonly nextCursor?: string | undefined;
}

/**
 * Keeps tasks. Several processes may share one: whatever befalls a task goes through its store, and the process that
 * runs the handler hears of it from there.
 */
export interface TaskStore {
  /** Keeps a new task. Resolves when `get` finds it, on every node; rejects with a `NoRoomError` if there is no room. */
  create(task: StoredTask): Promise<void>;
  /** The task as it is now. */
  get(taskId: string): Promise<StoredTask | undefined>;
  /**
   * Changes a task in one step that nothing else comes between, and gives what is kept then; undefined if there is no
   * such task. `step` only computes, and may be called more than once; if it gives back what it got, nothing changes.
   * Rejects with a `NoRoomError` if there is no room for what it gives.
   */
  change(taskId: string, step: (task: StoredTask) => StoredTask): Promise<StoredTask | undefined>;
  /** Tasks of one owner, oldest first; undefined if the cursor is not one this store gave. */
  list(query: TaskQuery): Promise<TaskPage | undefined>;
  /**
   * Tells of every change, made here or elsewhere, until the returned function is called. A store that needs time to
   * begin tells the state it finds when it has begun. It may tell the same twice, and leave out what is outdated.
   */
  watch(taskId: string, listener: (task: StoredTask) => void): () => void;
}

/** A store is full, or the task too big for it. */
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
 * Until when a store keeps a task, in milliseconds since 1970. That is until its time is over, and a little longer where
 * clients could not have seen yet how it ended.
 */
export function keptUntil(task: StoredTask): number {
  const grace = Math.min(Math.max(2 * task.pollIntervalMs, LEAST_GRACE_MS), MOST_GRACE_MS);
  const end = expiresAt(task);
  return isFinal(task.status) ? Math.max(end, task.lastUpdatedAt + grace) : end + grace;
}

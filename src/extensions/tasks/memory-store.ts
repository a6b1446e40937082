/** `memoryTaskStore`: a task store in memory, with limits on number and size. */

import { WallClockTimer } from '../../timing/wall-clock-timer.ts';
import { keptUntil, NoRoomError, type StoredTask, type TaskPage, type TaskQuery, type TaskStore } from './store.ts';

/** Limits of a memory store. A full store rejects with a `NoRoomError`, and never evicts a task before its lifetime ends. */
export interface MemoryTaskStoreOptions {
  /** Maximum number of tasks. Default: 10,000. */
  readonly tasks?: number;
  /** Maximum number of tasks of one principal. Does not apply to unauthenticated callers. Default: 1,000. */
  readonly tasksPerOwner?: number;
  /** Maximum size of all tasks as JSON, with one byte per character. Default: 64 MiB. */
  readonly bytes?: number;
  /** Maximum size of one principal's tasks as JSON. Does not apply to unauthenticated callers. Default: 16 MiB. */
  readonly bytesPerOwner?: number;
}

/** A task store in memory, with its current usage. */
export interface MemoryTaskStore extends TaskStore {
  /** Number of stored tasks. */
  readonly size: number;
  /** Size of all tasks as JSON, with one byte per character and at least 1 KiB per task. */
  readonly bytes: number;
  /** Number of listeners of `watch`. */
  readonly watchers: number;
}

/** Creates a store that keeps tasks in memory. All tasks are lost when the process exits. */
export function memoryTaskStore(options: MemoryTaskStoreOptions = {}): MemoryTaskStore {
  const { tasks = 10_000, tasksPerOwner = 1_000, bytes = 64 * MIB, bytesPerOwner = 16 * MIB } = options;
  const bounds = { tasks, tasksPerOwner, bytes, bytesPerOwner };
  for (const [name, value] of Object.entries(bounds)) {
    if (!(typeof value === 'number' && value >= 1))
      throw new TypeError(`memoryTaskStore: "${name}" must be at least 1`);
  }
  return new Memory(bounds);
}

const MIB = 1024 * 1024;

interface Entry {
  task: StoredTask;
  weight: number;
  /** Time at which the task is deleted, in milliseconds since 1970. */
  until: number;
  /** Cancels the timer that deletes the task. */
  putOff: () => void;
}

interface Owned {
  readonly entries: Set<Entry>;
  bytes: number;
}

type Listener = (task: StoredTask) => void;

class Memory implements MemoryTaskStore {
  readonly #bounds: Required<MemoryTaskStoreOptions>;
  readonly #entries = new Map<string, Entry>();
  readonly #owners = new Map<string, Owned>();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #alarms = new WallClockTimer();
  #bytes = 0;

  constructor(bounds: Required<MemoryTaskStoreOptions>) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get watchers(): number {
    let count = 0;
    for (const listeners of this.#listeners.values()) count += listeners.size;
    return count;
  }

  async create(task: StoredTask): Promise<void> {
    const { taskId, owner } = task;
    if (this.#entries.has(taskId)) throw new Error('There is a task with this id already');
    const weight = weightOf(task);
    if (!this.#hasPlace(owner) || !this.#hasRoom(owner, weight)) {
      // Workers can drop the timers that delete expired tasks, so expired tasks are also deleted here.
      this.#dropDue();
      if (!this.#hasPlace(owner) || !this.#hasRoom(owner, weight)) {
        throw new NoRoomError('The store has no room for another task');
      }
    }
    const entry: Entry = { task, weight: 0, until: 0, putOff: () => {} };
    this.#entries.set(taskId, entry);
    const owned = this.#owners.get(owner) ?? { entries: new Set(), bytes: 0 };
    owned.entries.add(entry);
    this.#owners.set(owner, owned);
    this.#weigh(entry, weight);
    this.#schedule(entry);
  }

  async get(taskId: string): Promise<StoredTask | undefined> {
    return this.#find(taskId)?.task;
  }

  async change(taskId: string, step: (task: StoredTask) => StoredTask): Promise<StoredTask | undefined> {
    const entry = this.#find(taskId);
    if (!entry) return undefined;
    const changed = step(entry.task);
    if (changed === entry.task) return changed;
    const weight = weightOf(changed);
    const growth = weight - entry.weight;
    if (growth > 0 && !this.#hasRoom(changed.owner, growth)) {
      throw new NoRoomError('The store has no room for what was added to a task');
    }
    entry.task = changed;
    this.#weigh(entry, weight);
    this.#schedule(entry);
    for (const listener of [...(this.#listeners.get(taskId) ?? [])]) listener(changed);
    return changed;
  }

  async list({ owner, revision, cursor, limit }: TaskQuery): Promise<TaskPage | undefined> {
    const start = cursor === undefined ? undefined : placeIn(cursor);
    if (cursor !== undefined && !start) return undefined;
    const now = Date.now();
    const all = [...(this.#owners.get(owner)?.entries ?? [])].map(({ task }) => task);
    const wanted = all
      .filter((task) => task.revision === revision && keptUntil(task) > now && (!start || compare(task, start) > 0))
      .sort(compare);
    const tasks = wanted.slice(0, limit);
    const last = tasks.at(-1);
    return { tasks, nextCursor: last && wanted.length > tasks.length ? cursorAfter(last) : undefined };
  }

  watch(taskId: string, listener: Listener): () => void {
    // A function per call, so that one listener can watch the same task twice.
    const entry: Listener = (task) => listener(task);
    const listeners = this.#listeners.get(taskId) ?? new Set();
    this.#listeners.set(taskId, listeners.add(entry));
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#listeners.get(taskId) === listeners) this.#listeners.delete(taskId);
    };
  }

  /** Returns true if the limits allow one more task of this owner. */
  #hasPlace(owner: string): boolean {
    const { tasks, tasksPerOwner } = this.#bounds;
    const own = owner === '' ? 0 : (this.#owners.get(owner)?.entries.size ?? 0);
    return this.#entries.size < tasks && own < tasksPerOwner;
  }

  /** Returns true if the limits allow `growth` more bytes for this owner. */
  #hasRoom(owner: string, growth: number): boolean {
    const { bytes, bytesPerOwner } = this.#bounds;
    const own = owner === '' ? 0 : (this.#owners.get(owner)?.bytes ?? 0) + growth;
    return this.#bytes + growth <= bytes && own <= bytesPerOwner;
  }

  #weigh(entry: Entry, weight: number): void {
    const growth = weight - entry.weight;
    const owned = this.#owners.get(entry.task.owner);
    entry.weight = weight;
    this.#bytes += growth;
    if (owned) owned.bytes += growth;
  }

  #find(taskId: string): Entry | undefined {
    const entry = this.#entries.get(taskId);
    if (!entry || entry.until > Date.now()) return entry;
    this.#drop(entry);
    return undefined;
  }

  #schedule(entry: Entry): void {
    const until = keptUntil(entry.task);
    if (until === entry.until) return;
    entry.putOff();
    entry.until = until;
    entry.putOff = this.#alarms.set(until, () => this.#drop(entry));
  }

  #dropDue(): void {
    const now = Date.now();
    for (const entry of [...this.#entries.values()]) if (entry.until <= now) this.#drop(entry);
  }

  #drop(entry: Entry): void {
    const { taskId, owner } = entry.task;
    entry.putOff();
    if (!this.#entries.delete(taskId)) return;
    this.#weigh(entry, 0);
    const owned = this.#owners.get(owner);
    owned?.entries.delete(entry);
    if (owned?.entries.size === 0) this.#owners.delete(owner);
  }
}

// Minimum size counted for a task. The reserve allows even a full store to save the end of each task.
const LEAST_WEIGHT = 1024;

function weightOf(task: StoredTask): number {
  return Math.max(JSON.stringify(task).length, LEAST_WEIGHT);
}

/** Sort key of a task in a list, unique because of the id. */
type Place = Pick<StoredTask, 'createdAt' | 'taskId'>;

function compare(a: Place, b: Place): number {
  return a.createdAt - b.createdAt || (a.taskId < b.taskId ? -1 : a.taskId > b.taskId ? 1 : 0);
}

// The cursor contains the sort key, so it stays valid if the task is deleted before the next page is requested.
function cursorAfter({ createdAt, taskId }: Place): string {
  return `${createdAt.toString(36)}.${taskId}`;
}

function placeIn(cursor: string): Place | undefined {
  const [, time, taskId] = /^([0-9a-z]{1,11})\.([^.]+)$/.exec(cursor) ?? [];
  return time && taskId ? { createdAt: Number.parseInt(time, 36), taskId } : undefined;
}

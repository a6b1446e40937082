/** Stores the sessions of stateful clients between their requests. All nodes of a server share one store. */

import type { MaybePromise } from '../jsonrpc/maybe-promise.ts';
import { monotonicNow } from '../timing/monotonic-now.ts';
import type { Lifecycle } from './lifecycle.ts';

/** A session, as JSON: the record that it was created with, and properties that change. */
export interface StoredSession<Record> {
  readonly record: Record;
  /** True after `notifications/initialized`. */
  readonly initialized: boolean;
  /** Level of the last `logging/setLevel`; undefined before the first. */
  readonly logLevel: string | undefined;
}

/**
 * A change of a session. A patch does not depend on the state that the node has read, so that patches of two nodes at the same
 * time both take effect.
 */
export type SessionPatch =
  | { readonly initialized: true }
  | { readonly logLevel: string }
  | { readonly subscribe: string }
  | { readonly unsubscribe: string }
  /** Id of the GET stream that the client has stopped reading. No effect if the session has another GET stream by now. */
  | { readonly unread: string };

/** Condition under which a new GET stream replaces the present one of the session. */
export interface StreamCondition {
  /** True if the present stream is replaced even while a client reads it. */
  readonly force: boolean;
  /** Id of the stream that the client resumes, which may always be replaced. */
  readonly from?: string | undefined;
}

/** The result of `takeStream`: whether the stream is the session's GET stream now, and the previous one. */
export interface TakenStream {
  readonly isTaken: boolean;
  readonly previous: string | undefined;
}

/**
 * Sessions by id. `Record` is JSON and never changes. Reads may come from a cache. If the store cannot be reached, its methods
 * must reject: the client then gets 503 and keeps its session.
 */
export interface SessionStore<Record> extends Lifecycle {
  /** Creates a session. False if a limit of the store, or of this owner, does not allow it. */
  create(id: string, record: Record, owner: string): MaybePromise<boolean>;
  /** Returns a session, unless it is unknown or expired. Resets its idle time. */
  get(id: string): MaybePromise<StoredSession<Record> | undefined>;
  /** Changes a session, unless it is unknown. Does not reset its idle time. */
  update(id: string, patch: SessionPatch): MaybePromise<void>;
  /** Returns the URIs of the client's resource subscriptions. They are not part of `StoredSession`, since there may be many. */
  subscriptions(id: string): MaybePromise<readonly string[]>;
  /**
   * Makes a stream the only GET stream of a session, on all nodes. Atomic: of two nodes at the same time, the second gets the
   * stream of the first as `previous`. Not taken if the session is unknown, or if a client reads the present stream and the
   * condition does not allow replacing it.
   */
  takeStream(id: string, stream: string, condition: StreamCondition): MaybePromise<TakenStream>;
  /** Resets the idle time of these sessions; returns those that no longer exist. */
  touch(ids: readonly string[]): MaybePromise<readonly string[]>;
  /** Deletes a session. False if it is unknown. */
  delete(id: string): MaybePromise<boolean>;
}

/** Milliseconds without use after which a session expires, by default. */
export const DEFAULT_IDLE_MS: number = 30 * 60_000;

/** Options of the in-memory session store. */
export interface MemorySessionOptions<Record> {
  /** Milliseconds without use after which a session expires. Default: 30 minutes. */
  readonly idleMs?: number | undefined;
  /** Maximum number of sessions. Default: 10,000. */
  readonly max?: number | undefined;
  /** Returns true for a session with a running request or an open stream. A full store does not remove such a session. */
  readonly isInUse?: (id: string) => boolean;
  /** Called with each removed session: deleted, expired or replaced. */
  readonly onRemove?: (record: Record, id: string) => void;
}

interface Entry<Record> extends StoredSession<Record> {
  readonly id: string;
  readonly owner: string;
  initialized: boolean;
  logLevel: string | undefined;
  subscriptions: readonly string[];
  /** Id of the session's GET stream. */
  stream: string | undefined;
  isStreamRead: boolean;
  usedAt: number;
}

const NONE: readonly string[] = [];

/**
 * Maximum number of sessions that one search for the longest idle ones returns. The next removals use the rest of them, so that
 * not each of them sorts all sessions.
 */
const CANDIDATES = 64;

/**
 * Creates a session store in memory. When it is full, the longest idle session of the owner with the most sessions is removed for
 * a new one.
 */
export function memorySessionStore<Record>(options: MemorySessionOptions<Record> = {}): SessionStore<Record> {
  return new MemorySessions(options);
}

class MemorySessions<Record> implements SessionStore<Record> {
  readonly #options: MemorySessionOptions<Record>;
  readonly #idleMs: number;
  readonly #max: number;
  readonly #entries = new Map<string, Entry<Record>>();
  /** The number of sessions by owner. */
  readonly #owned = new Map<string, number>();
  /** Longest idle sessions of an owner, the longest idle one last: candidates for removal, from the last search. */
  #candidates:
    | { readonly owner: string; readonly idle: { readonly entry: Entry<Record>; readonly usedAt: number }[] }
    | undefined;
  /**
   * Time before which no session expires, by `monotonicNow`. All sessions are checked then, which is cheaper than keeping them
   * in the order of use.
   */
  #nextExpiry = Number.POSITIVE_INFINITY;

  constructor(options: MemorySessionOptions<Record>) {
    this.#options = options;
    this.#idleMs = options.idleMs ?? DEFAULT_IDLE_MS;
    this.#max = options.max ?? 10_000;
  }

  create(id: string, record: Record, owner: string): boolean {
    const now = Math.floor(monotonicNow());
    this.#removeExpired(now);
    if (!this.#makeRoom(owner)) return false;
    this.#entries.set(id, {
      id,
      owner,
      record,
      initialized: false,
      logLevel: undefined,
      subscriptions: NONE,
      stream: undefined,
      isStreamRead: false,
      usedAt: now,
    });
    this.#owned.set(owner, (this.#owned.get(owner) ?? 0) + 1);
    this.#nextExpiry = Math.min(this.#nextExpiry, now + this.#idleMs);
    return true;
  }

  get(id: string): StoredSession<Record> | undefined {
    const now = Math.floor(monotonicNow());
    this.#removeExpired(now);
    const found = this.#entries.get(id);
    if (!found || now - found.usedAt >= this.#idleMs) return undefined;
    found.usedAt = now;
    return found;
  }

  update(id: string, patch: SessionPatch): void {
    const found = this.#entries.get(id);
    if (!found) return;
    if ('initialized' in patch) found.initialized = true;
    else if ('logLevel' in patch) found.logLevel = patch.logLevel;
    else if ('unread' in patch) found.isStreamRead &&= found.stream !== patch.unread;
    else if ('subscribe' in patch)
      found.subscriptions = [...without(found.subscriptions, patch.subscribe), patch.subscribe];
    else found.subscriptions = without(found.subscriptions, patch.unsubscribe);
  }

  subscriptions(id: string): readonly string[] {
    return this.#entries.get(id)?.subscriptions ?? NONE;
  }

  takeStream(id: string, stream: string, { force, from }: StreamCondition): TakenStream {
    const found = this.#entries.get(id);
    const previous = found?.stream;
    if (!found || (found.isStreamRead && !force && previous !== from)) return { isTaken: false, previous };
    found.stream = stream;
    found.isStreamRead = true;
    return { isTaken: true, previous };
  }

  touch(ids: readonly string[]): readonly string[] {
    return ids.filter((id) => !this.get(id));
  }

  delete(id: string): boolean {
    const found = this.#entries.get(id);
    if (found) this.#remove(found);
    return found !== undefined;
  }

  close(): void {
    for (const entry of [...this.#entries.values()]) this.#remove(entry);
  }

  #remove({ id, owner, record }: Entry<Record>): void {
    this.#entries.delete(id);
    const left = (this.#owned.get(owner) ?? 0) - 1;
    if (left > 0) this.#owned.set(owner, left);
    else this.#owned.delete(owner);
    this.#options.onRemove?.(record, id);
  }

  #removeExpired(now: number): void {
    if (now < this.#nextExpiry) return;
    this.#nextExpiry = Number.POSITIVE_INFINITY;
    for (const entry of this.#entries.values()) {
      if (now - entry.usedAt >= this.#idleMs) this.#remove(entry);
      else this.#nextExpiry = Math.min(this.#nextExpiry, entry.usedAt + this.#idleMs);
    }
  }

  // Makes room for a session of this owner; false if that is impossible. In a store that is half full and has several owners,
  // an owner with a quarter of the maximum replaces its own sessions.
  #makeRoom(owner: string): boolean {
    const owned = this.#owned.get(owner) ?? 0;
    const isAlone = this.#owned.size === (owned > 0 ? 1 : 0);
    const isOverShare = this.#entries.size * 2 >= this.#max && !isAlone && owned * 4 >= this.#max && owned > 0;
    if (isOverShare) return this.#removeLongestIdle(owner);
    return this.#entries.size < this.#max || this.#removeLongestIdle(this.#largestOwner());
  }

  #largestOwner(): string {
    let largest = '';
    let most = 0;
    for (const [owner, owned] of this.#owned) {
      if (owned <= most) continue;
      largest = owner;
      most = owned;
    }
    return largest;
  }

  #removeLongestIdle(owner: string): boolean {
    const found = this.#nextCandidate(owner) ?? this.#findCandidates(owner);
    if (found) this.#remove(found);
    return found !== undefined;
  }

  // Returns the longest idle candidate for removal. Skips sessions that were removed or used since the search for candidates.
  #nextCandidate(owner: string): Entry<Record> | undefined {
    if (this.#candidates?.owner !== owner) return undefined;
    for (let next = this.#candidates.idle.pop(); next; next = this.#candidates.idle.pop()) {
      const { entry, usedAt } = next;
      const isUnchanged = this.#entries.get(entry.id) === entry && entry.usedAt === usedAt;
      if (isUnchanged && !this.#isInUse(entry)) return entry;
    }
    return undefined;
  }

  #findCandidates(owner: string): Entry<Record> | undefined {
    const idle = [...this.#entries.values()]
      .filter((entry) => entry.owner === owner && !this.#isInUse(entry))
      .sort((a, b) => a.usedAt - b.usedAt)
      .slice(0, CANDIDATES);
    this.#candidates = { owner, idle: idle.reverse().map((entry) => ({ entry, usedAt: entry.usedAt })) };
    return this.#nextCandidate(owner);
  }

  #isInUse({ id }: Entry<Record>): boolean {
    return this.#options.isInUse?.(id) === true;
  }
}

function without(uris: readonly string[], uri: string): readonly string[] {
  return uris.includes(uri) ? uris.filter((each) => each !== uri) : uris;
}

/** Stores the sessions of stateful protocol revisions between requests. All nodes of a server share one store. */

import type { MaybePromise } from '../jsonrpc/maybe-promise.ts';
import { monotonicNow } from '../timing/monotonic-now.ts';
import type { Lifecycle } from './lifecycle.ts';

/** A stored session, as JSON: the immutable record from its creation, and properties that change. */
export interface StoredSession<Record> {
  readonly record: Record;
  /** True after the client has sent `notifications/initialized`. */
  readonly initialized: boolean;
  /** Level of the last `logging/setLevel` request; undefined before the first. */
  readonly logLevel: string | undefined;
}

/** A change of a session. Does not depend on state that a node has read, so that concurrent patches of two nodes both apply. */
export type SessionPatch =
  | { readonly initialized: true }
  | { readonly logLevel: string }
  | { readonly subscribe: string }
  | { readonly unsubscribe: string }
  /** Id of the GET stream that the client has stopped reading. No effect if the session has another GET stream by now. */
  | { readonly unread: string };

/** Condition for replacing the current GET stream of a session with a new stream. */
export interface StreamCondition {
  /** True if the current stream is replaced even while a client reads it. */
  readonly force: boolean;
  /**
   * Id of the GET stream that the client resumes. If it is still the GET stream of the session, the new stream replaces it even
   * while a client reads it.
   */
  readonly from?: string | undefined;
}

/** Result of `takeStream`: whether the new stream is now the session's GET stream, and the id of the previous GET stream. */
export interface TakenStream {
  readonly isTaken: boolean;
  readonly previous: string | undefined;
}

/**
 * Store of sessions, keyed by session id. `Record` is JSON and never changes. Reads may come from a cache. Methods must reject
 * if the store is unreachable: the client then gets HTTP 503 and keeps its session.
 */
export interface SessionStore<Record> extends Lifecycle {
  /** Creates a session. Returns false if a limit of the store, or of this owner, does not allow another session. */
  create(id: string, record: Record, owner: string): MaybePromise<boolean>;
  /** Returns a session and resets its idle time; undefined if the session is unknown or expired. */
  get(id: string): MaybePromise<StoredSession<Record> | undefined>;
  /** Changes a session. Ignores unknown sessions. Does not reset the idle time. */
  update(id: string, patch: SessionPatch): MaybePromise<void>;
  /** Returns the URIs of the client's resource subscriptions, which `StoredSession` omits because there can be many. */
  subscriptions(id: string): MaybePromise<readonly string[]>;
  /**
   * Makes `stream` the only GET stream of a session, on all nodes. Atomic: of two concurrent calls, the second gets the stream
   * of the first as `previous`. `isTaken` is false if the session is unknown, or if a client reads the current stream and
   * `condition` does not allow replacing it.
   */
  takeStream(id: string, stream: string, condition: StreamCondition): MaybePromise<TakenStream>;
  /** Resets the idle time of sessions. Returns the ids of sessions that no longer exist. */
  touch(ids: readonly string[]): MaybePromise<readonly string[]>;
  /** Deletes a session. Returns false if the session is unknown. */
  delete(id: string): MaybePromise<boolean>;
}

/** Default time without use after which a session expires, in milliseconds. */
export const DEFAULT_IDLE_MS: number = 30 * 60_000;

export interface MemorySessionOptions<Record> {
  /** Time without use after which a session expires, in milliseconds. Default: 30 minutes. */
  readonly idleMs?: number | undefined;
  /** Maximum number of sessions. At the maximum, a new session evicts an idle one or is refused. Default: 10,000. */
  readonly max?: number | undefined;
  /** Returns whether a session has a running request or an open stream. A full store does not evict such a session. */
  readonly isInUse?: (id: string) => boolean;
  /** Called for each session that is deleted, expired or evicted. */
  readonly onRemove?: (record: Record, id: string) => void;
}

interface Entry<Record> extends StoredSession<Record> {
  readonly id: string;
  readonly owner: string;
  initialized: boolean;
  logLevel: string | undefined;
  subscriptions: readonly string[];
  /** Id of the session's current GET stream; undefined before the first. */
  stream: string | undefined;
  isStreamRead: boolean;
  usedAt: number;
}

const NONE: readonly string[] = [];

/** Creates a session store in memory. A full store evicts the longest idle session of the owner with the most sessions. */
export function memorySessionStore<Record>(options: MemorySessionOptions<Record> = {}): SessionStore<Record> {
  return new MemorySessions(options);
}

class MemorySessions<Record> implements SessionStore<Record> {
  readonly #options: MemorySessionOptions<Record>;
  readonly #idleMs: number;
  readonly #max: number;
  readonly #entries = new Map<string, Entry<Record>>();
  /** Number of sessions, keyed by owner. */
  readonly #owned = new Map<string, number>();
  // `monotonicNow` time before which no session expires. At that time all sessions are checked, which is cheaper than keeping
  // them in the order of use.
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

  // Evicts a session if a new one of `owner` needs room. Returns false if none can be evicted. If the store is half full and
  // has other owners, an owner with at least a quarter of the maximum number of sessions can only replace its own.
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
    let found: Entry<Record> | undefined;
    for (const entry of this.#entries.values()) {
      if (entry.owner === owner && (!found || entry.usedAt < found.usedAt) && !this.#isInUse(entry)) found = entry;
    }
    if (found) this.#remove(found);
    return found !== undefined;
  }

  #isInUse({ id }: Entry<Record>): boolean {
    return this.#options.isInUse?.(id) === true;
  }
}

function without(uris: readonly string[], uri: string): readonly string[] {
  return uris.includes(uri) ? uris.filter((each) => each !== uri) : uris;
}

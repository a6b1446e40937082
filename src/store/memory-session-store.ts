/** Sessions within this process. When there is no room for another, the longest idle one of the largest owner is removed. */

import { monotonicNow } from '../timing/monotonic-now.ts';
import {
  DEFAULT_IDLE_MS,
  type SessionPatch,
  type SessionStore,
  type StoredSession,
  type StreamCondition,
  type TakenStream,
} from './session-store.ts';

/** Bounds of a session store, and what it has to know of its sessions. */
export interface MemorySessionOptions<Record> {
  /** Milliseconds without use after which a session is removed. Default: 30 minutes. */
  readonly idleMs?: number | undefined;
  /** How many sessions there may be. Default: 10,000. */
  readonly max?: number | undefined;
  /** True for a session that must not be removed, because a call or a stream of it is open. Default: none. */
  readonly isInUse?: (id: string) => boolean;
  /** Called with each session that is removed, whatever the reason. */
  readonly onRemove?: (record: Record, id: string) => void;
}

interface Kept<Record> extends StoredSession<Record> {
  readonly id: string;
  readonly owner: string;
  initialized: boolean;
  logLevel: string | undefined;
  subscriptions: readonly string[];
  /** The GET stream, and whether a client reads it. */
  stream: string | undefined;
  isStreamRead: boolean;
  usedAt: number;
}

const NONE: readonly string[] = [];

/** Sessions that may be removed next are looked for once for this many. */
const CANDIDATES = 64;

/** Makes an empty store. */
export function memorySessionStore<Record>(options: MemorySessionOptions<Record> = {}): SessionStore<Record> {
  return new MemorySessions(options);
}

class MemorySessions<Record> implements SessionStore<Record> {
  readonly #options: MemorySessionOptions<Record>;
  readonly #idleMs: number;
  readonly #max: number;
  readonly #kept = new Map<string, Kept<Record>>();
  readonly #owned = new Map<string, number>();
  /** The longest idle sessions of an owner when they were last looked for, with the time of their last use. */
  #candidates:
    | { readonly owner: string; readonly idle: { readonly kept: Kept<Record>; readonly usedAt: number }[] }
    | undefined;
  /** No session expires before. Keeping them in the order of their use would cost more than to look at all now and then. */
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
    this.#kept.set(id, {
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
    const found = this.#kept.get(id);
    if (!found || now - found.usedAt >= this.#idleMs) return undefined;
    found.usedAt = now;
    return found;
  }

  update(id: string, patch: SessionPatch): void {
    const found = this.#kept.get(id);
    if (!found) return;
    if ('initialized' in patch) found.initialized = true;
    else if ('logLevel' in patch) found.logLevel = patch.logLevel;
    else if ('unread' in patch) found.isStreamRead &&= found.stream !== patch.unread;
    else if ('subscribe' in patch)
      found.subscriptions = [...without(found.subscriptions, patch.subscribe), patch.subscribe];
    else found.subscriptions = without(found.subscriptions, patch.unsubscribe);
  }

  subscriptions(id: string): readonly string[] {
    return this.#kept.get(id)?.subscriptions ?? NONE;
  }

  takeStream(id: string, stream: string, { force, from }: StreamCondition): TakenStream {
    const found = this.#kept.get(id);
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
    const found = this.#kept.get(id);
    if (found) this.#remove(found);
    return found !== undefined;
  }

  close(): void {
    for (const kept of [...this.#kept.values()]) this.#remove(kept);
  }

  #remove({ id, owner, record }: Kept<Record>): void {
    this.#kept.delete(id);
    const left = (this.#owned.get(owner) ?? 0) - 1;
    if (left > 0) this.#owned.set(owner, left);
    else this.#owned.delete(owner);
    this.#options.onRemove?.(record, id);
  }

  #removeExpired(now: number): void {
    if (now < this.#nextExpiry) return;
    this.#nextExpiry = Number.POSITIVE_INFINITY;
    for (const kept of this.#kept.values()) {
      if (now - kept.usedAt >= this.#idleMs) this.#remove(kept);
      else this.#nextExpiry = Math.min(this.#nextExpiry, kept.usedAt + this.#idleMs);
    }
  }

  // While more than half of the places are taken and there are several owners, one with more than a quarter makes room itself.
  #makeRoom(owner: string): boolean {
    const owned = this.#owned.get(owner) ?? 0;
    const isAlone = this.#owned.size === (owned > 0 ? 1 : 0);
    const isOverShare = this.#kept.size * 2 >= this.#max && !isAlone && owned * 4 >= this.#max && owned > 0;
    if (isOverShare) return this.#removeLongestIdle(owner);
    return this.#kept.size < this.#max || this.#removeLongestIdle(this.#largestOwner());
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

  // Sessions that were used since, or are gone, are passed over.
  #nextCandidate(owner: string): Kept<Record> | undefined {
    if (this.#candidates?.owner !== owner) return undefined;
    for (let next = this.#candidates.idle.pop(); next; next = this.#candidates.idle.pop()) {
      const { kept, usedAt } = next;
      const isThere = this.#kept.get(kept.id) === kept;
      if (isThere && kept.usedAt === usedAt && !this.#isInUse(kept)) return kept;
    }
    return undefined;
  }

  #findCandidates(owner: string): Kept<Record> | undefined {
    const idle = [...this.#kept.values()]
      .filter((kept) => kept.owner === owner && !this.#isInUse(kept))
      .sort((a, b) => a.usedAt - b.usedAt)
      .slice(0, CANDIDATES);
    this.#candidates = { owner, idle: idle.reverse().map((kept) => ({ kept, usedAt: kept.usedAt })) };
    return this.#nextCandidate(owner);
  }

  #isInUse({ id }: Kept<Record>): boolean {
    return this.#options.isInUse?.(id) === true;
  }
}

function without(uris: readonly string[], uri: string): readonly string[] {
  return uris.includes(uri) ? uris.filter((one) => one !== uri) : uris;
}

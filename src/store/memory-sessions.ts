/** Sessions within this process. When there is no room for another, the longest idle one of the largest owner is removed. */

import { monotonicNow } from '../timing/monotonic-now.ts';
import { DEFAULT_IDLE_MS, type SessionStore } from './sessions.ts';

/** Bounds of a session store, and what it has to know of its sessions. */
export interface MemorySessionOptions<S> {
  /** Milliseconds without use after which a session is removed. Default: 30 minutes. */
  readonly idleMs?: number | undefined;
  /** How many sessions there may be. Default: 10,000. */
  readonly max?: number | undefined;
  /** Whose a session is. Default: all have the same owner. */
  readonly ownerOf?: (session: S) => string;
  /** True for a session that must not be removed, because a call or a stream of it is open. Default: none. */
  readonly isInUse?: (id: string) => boolean;
  /** Called with each session that is removed, whatever the reason. */
  readonly onRemove?: (session: S, id: string) => void;
}

interface Kept<S> {
  readonly id: string;
  readonly owner: string;
  session: S;
  usedAt: number;
}

/** Sessions that may be removed next are looked for once for this many. */
const CANDIDATES = 64;

/** Makes an empty store. */
export function memorySessionStore<S>(options: MemorySessionOptions<S> = {}): SessionStore<S> {
  return new MemorySessions(options);
}

class MemorySessions<S> implements SessionStore<S> {
  readonly #options: MemorySessionOptions<S>;
  readonly #idleMs: number;
  readonly #max: number;
  readonly #kept = new Map<string, Kept<S>>();
  readonly #owned = new Map<string, number>();
  /** The longest idle sessions of an owner when they were last looked for, with the time of their last use. */
  #candidates:
    | { readonly owner: string; readonly idle: { readonly kept: Kept<S>; readonly usedAt: number }[] }
    | undefined;
  /** No session expires before. Keeping them in the order of their use would cost more than to look at all now and then. */
  #nextExpiry = Number.POSITIVE_INFINITY;

  constructor(options: MemorySessionOptions<S>) {
    this.#options = options;
    this.#idleMs = options.idleMs ?? DEFAULT_IDLE_MS;
    this.#max = options.max ?? 10_000;
  }

  create(id: string, session: S): boolean {
    const now = Math.floor(monotonicNow());
    this.#removeExpired(now);
    const owner = this.#options.ownerOf?.(session) ?? '';
    if (!this.#makeRoom(owner)) return false;
    this.#kept.set(id, { id, owner, session, usedAt: now });
    this.#owned.set(owner, (this.#owned.get(owner) ?? 0) + 1);
    this.#nextExpiry = Math.min(this.#nextExpiry, now + this.#idleMs);
    return true;
  }

  get(id: string): S | undefined {
    const now = Math.floor(monotonicNow());
    this.#removeExpired(now);
    const found = this.#kept.get(id);
    if (!found || now - found.usedAt >= this.#idleMs) return undefined;
    found.usedAt = now;
    return found.session;
  }

  save(id: string, session: S): void {
    const found = this.#kept.get(id);
    if (found) found.session = session;
  }

  delete(id: string): boolean {
    const found = this.#kept.get(id);
    if (found) this.#remove(found);
    return found !== undefined;
  }

  #remove({ id, owner, session }: Kept<S>): void {
    this.#kept.delete(id);
    const left = (this.#owned.get(owner) ?? 0) - 1;
    if (left > 0) this.#owned.set(owner, left);
    else this.#owned.delete(owner);
    this.#options.onRemove?.(session, id);
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
  #nextCandidate(owner: string): Kept<S> | undefined {
    if (this.#candidates?.owner !== owner) return undefined;
    for (let next = this.#candidates.idle.pop(); next; next = this.#candidates.idle.pop()) {
      const { kept, usedAt } = next;
      const isThere = this.#kept.get(kept.id) === kept;
      if (isThere && kept.usedAt === usedAt && !this.#isInUse(kept)) return kept;
    }
    return undefined;
  }

  #findCandidates(owner: string): Kept<S> | undefined {
    const idle = [...this.#kept.values()]
      .filter((kept) => kept.owner === owner && !this.#isInUse(kept))
      .sort((a, b) => a.usedAt - b.usedAt)
      .slice(0, CANDIDATES);
    this.#candidates = { owner, idle: idle.reverse().map((kept) => ({ kept, usedAt: kept.usedAt })) };
    return this.#nextCandidate(owner);
  }

  #isInUse({ id }: Kept<S>): boolean {
    return this.#options.isInUse?.(id) === true;
  }
}

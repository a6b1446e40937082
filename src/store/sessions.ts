/** Where the sessions of stateful clients are kept between their requests; a shared one serves every node. */

/** Sessions by id. `S` is JSON. */
export interface SessionStore<S> {
  /** Keeps a new session. False if there is no room for it. */
  create(id: string, session: S): boolean | Promise<boolean>;
  /** The session, if it is there and has not expired. Looking at it counts as use. */
  get(id: string): S | undefined | Promise<S | undefined>;
  /** Keeps what changed in it. */
  save(id: string, session: S): void | Promise<void>;
  /** Forgets it. False if it was not there. */
  delete(id: string): boolean | Promise<boolean>;
}

/** Half an hour. */
export const DEFAULT_IDLE_MS: number = 30 * 60_000;

/** Bounds of a session store. */
export interface SessionStoreOptions {
  /** Milliseconds without use after which a session is forgotten. Default: 30 minutes. */
  readonly idleMs?: number | undefined;
  /** How many sessions there may be. Default: 10,000. */
  readonly max?: number | undefined;
}

interface Kept<S> {
  session: S;
  usedAt: number;
}

/** Sessions within this process. */
export function memorySessionStore<S>({
  idleMs = DEFAULT_IDLE_MS,
  max = 10_000,
}: SessionStoreOptions = {}): SessionStore<S> {
  const kept = new Map<string, Kept<S>>();
  // No session expires before. Keeping them in the order of their use would cost more than to look at all now and then.
  let nextExpiry = Number.POSITIVE_INFINITY;
  const forgetExpired = (now: number): void => {
    if (now < nextExpiry) return;
    nextExpiry = Number.POSITIVE_INFINITY;
    for (const [id, { usedAt }] of kept) {
      if (now - usedAt >= idleMs) kept.delete(id);
      else nextExpiry = Math.min(nextExpiry, usedAt + idleMs);
    }
  };
  return {
    create(id, session) {
      const now = Date.now();
      forgetExpired(now);
      if (kept.size >= max) return false;
      kept.set(id, { session, usedAt: now });
      nextExpiry = Math.min(nextExpiry, now + idleMs);
      return true;
    },
    get(id) {
      const now = Date.now();
      const found = kept.get(id);
      if (!found || now - found.usedAt >= idleMs) return undefined;
      found.usedAt = now;
      return found.session;
    },
    save(id, session) {
      const found = kept.get(id);
      if (found) found.session = session;
    },
    delete: (id) => kept.delete(id),
  };
}

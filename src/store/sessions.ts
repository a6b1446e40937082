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
  // The least recently used is the first: expired sessions are found without looking at the others.
  const kept = new Map<string, Kept<S>>();
  const forgetExpired = (now: number): void => {
    for (const [id, { usedAt }] of kept) {
      if (now - usedAt < idleMs) return;
      kept.delete(id);
    }
  };
  return {
    create(id, session) {
      const now = Date.now();
      forgetExpired(now);
      if (kept.size >= max) return false;
      kept.set(id, { session, usedAt: now });
      return true;
    },
    get(id) {
      const now = Date.now();
      forgetExpired(now);
      const found = kept.get(id);
      if (!found) return undefined;
      kept.delete(id);
      kept.set(id, found);
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

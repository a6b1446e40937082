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

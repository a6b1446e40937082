/** What all stores have in common, in memory or behind a network. */

/** A value, or a promise of it: stores in memory answer at once. */
export type MaybePromise<T> = T | Promise<T>;

/** A store that has connections. Servers call `ready`; `close` is for the code that made the store, which may serve several servers. */
export interface Lifecycle {
  /** Resolves when the store can be used. Rejects if it cannot be reached: then serving does not begin. */
  ready?(): MaybePromise<void>;
  /** Closes its connections. */
  close?(): MaybePromise<void>;
}

import type { MaybePromise } from '../jsonrpc/maybe-promise.ts';

/**
 * Methods of a store or bus that has connections. `close` is called by the code that made the store, since several servers may
 * share it.
 */
export interface Lifecycle {
  /**
   * Resolves when the store can be used; rejects if it cannot be reached. HTTP servers call it for the stores in the option
   * `sessions`: `serveHttp` then rejects, and handlers give 503 and call it again with the next request.
   */
  ready?(): MaybePromise<void>;
  /** Closes the connections of the store. */
  close?(): MaybePromise<void>;
}

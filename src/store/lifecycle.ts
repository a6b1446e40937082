import type { MaybePromise } from '../jsonrpc/maybe-promise.ts';

/**
 * A store that has connections. `close` is for the code that made the store, which may serve several servers. So is `ready`, but
 * for the stores in the option `sessions` of HTTP servers.
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

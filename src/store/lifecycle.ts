import type { MaybePromise } from '../jsonrpc/maybe-promise.ts';

/** Optional methods of a store or bus that has connections. */
export interface Lifecycle {
  /**
   * Resolves when the store can be used. HTTP servers call `ready` for the stores in the option `sessions`. If `ready` rejects,
   * `serveHttp` rejects; `nodeHandler` and `fetchHandler` respond with 503, and call `ready` again for the next request.
   */
  ready?(): MaybePromise<void>;
  /** Closes the connections of the store. Only the application calls `close`, because several servers can share a store. */
  close?(): MaybePromise<void>;
}

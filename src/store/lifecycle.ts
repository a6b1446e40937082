import type { MaybePromise } from '../jsonrpc/maybe-promise.ts';

/** Optional methods of every store. A server calls `ready`; `close` is for the application, since servers may share a store. */
export interface Lifecycle {
  /** Resolves when the store can be used. If it rejects, `serve*` rejects with that error. */
  ready?(): MaybePromise<void>;
  /** Closes the connections of the store. */
  close?(): MaybePromise<void>;
}

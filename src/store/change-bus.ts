/** Publishes the changes of a server's lists and resources, to all nodes that share the bus. */

import type { MaybePromise } from '../jsonrpc/maybe-promise.ts';
import type { Lifecycle } from './lifecycle.ts';

/**
 * Event of a bus that may have lost changes, for instance while it was disconnected: every list and resource may have changed.
 */
export interface Resync {
  readonly type: 'resync';
}

/** Pub/sub of changes between the nodes of a server. `Change` is JSON. */
export interface ChangeBus<Change> extends Lifecycle {
  /** Delivers a change to every subscriber on all nodes, this one included, once each. */
  publish(change: Change): MaybePromise<void>;
  /**
   * Calls the listener with every change, until the returned function is called. A bus that may have lost changes sends a
   * `Resync`: clients are then notified as if all lists, and all resources they subscribed to, had changed.
   */
  subscribe(listener: (change: Change | Resync) => void): () => void;
}

/** Creates a bus within this process. */
export function memoryChangeBus<Change>(): ChangeBus<Change> {
  // Keyed by the unsubscribe function, since one listener may subscribe twice.
  const listeners = new Map<() => void, (change: Change | Resync) => void>();
  return {
    publish(change) {
      for (const listener of [...listeners.values()]) listener(change);
    },
    subscribe(listener) {
      const unsubscribe = (): void => void listeners.delete(unsubscribe);
      listeners.set(unsubscribe, listener);
      return unsubscribe;
    },
    close: () => listeners.clear(),
  };
}

/** Publishes changes of a server's lists and resources to all nodes that share the bus. */

import type { MaybePromise } from '../jsonrpc/maybe-promise.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Sent by a bus that could have lost changes, for example while disconnected: any list or resource could have changed. */
export interface Resync {
  readonly type: 'resync';
}

/** Pub/sub of list and resource changes between the nodes of a server. `Change` is a JSON value. */
export interface ChangeBus<Change> extends Lifecycle {
  /** Delivers a change once to every subscriber on all nodes, including this node. */
  publish(change: Change): MaybePromise<void>;
  /**
   * Calls the listener with every change, until the returned function is called. A bus that could have lost changes sends a
   * `Resync`: clients are then notified as if all lists and all subscribed resources had changed.
   */
  subscribe(listener: (change: Change | Resync) => void): () => void;
}

export function memoryChangeBus<Change>(): ChangeBus<Change> {
  // Keyed by the unsubscribe function, because the same listener can subscribe twice.
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

/** Where changes of a server are published and received; a shared bus reaches every node. */

import type { Lifecycle, MaybePromise } from './lifecycle.ts';

/** Changes may have been missed, for instance while the connection was lost: everything may be different. */
export interface Resync {
  readonly type: 'resync';
}

/** Pub/sub of changes. `Change` is JSON. */
export interface ChangeBus<Change> extends Lifecycle {
  /** Delivers a change to every subscriber, on this node once and on the others. */
  publish(change: Change): MaybePromise<void>;
  /**
   * Calls back with every change until the returned function is called. A bus that may have missed changes calls back with
   * `resync`: clients are then notified as if all lists and all resources they subscribed to had changed.
   */
  subscribe(listener: (change: Change | Resync) => void): () => void;
}

/** Changes within this process. */
export function memoryChangeBus<Change>(): ChangeBus<Change> {
  // By the function that ends the subscription: the same listener may subscribe twice.
  const listeners = new Map<() => void, (change: Change | Resync) => void>();
  return {
    publish(change) {
      for (const listener of [...listeners.values()]) listener(change);
    },
    subscribe(listener) {
      const end = (): void => void listeners.delete(end);
      listeners.set(end, listener);
      return end;
    },
    close: () => listeners.clear(),
  };
}

/** Where changes are published and watched; a shared one tells every node. */

/** A place to publish changes to and hear of them. */
export interface ChangeBus<Change> {
  /** Tells everybody who subscribed, here or elsewhere. */
  publish(change: Change): void;
  /** Hears every change until the returned function is called. */
  subscribe(listener: (change: Change) => void): () => void;
}

/** Changes within this process. */
export function memoryChangeBus<Change>(): ChangeBus<Change> {
  const listeners = new Set<(change: Change) => void>();
  return {
    publish(change) {
      for (const listener of [...listeners]) listener(change);
    },
    subscribe(listener) {
      // A fresh function per subscription, so that the same listener may subscribe twice.
      const entry = (change: Change): void => listener(change);
      listeners.add(entry);
      return () => {
        listeners.delete(entry);
      };
    },
  };
}

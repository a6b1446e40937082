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
  const subscriptions = new Set<{ readonly listener: (change: Change) => void }>();
  return {
    publish(change) {
      for (const { listener } of [...subscriptions]) listener(change);
    },
    subscribe(listener) {
      // The same listener may subscribe twice.
      const subscription = { listener };
      subscriptions.add(subscription);
      return () => {
        subscriptions.delete(subscription);
      };
    },
  };
}

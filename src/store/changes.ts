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
  // By what ends them: the same listener may subscribe twice.
  const listeners = new Map<() => void, (change: Change) => void>();
  return {
    publish(change) {
      for (const listener of [...listeners.values()]) listener(change);
    },
    subscribe(listener) {
      const end = (): void => void listeners.delete(end);
      listeners.set(end, listener);
      return end;
    },
  };
}

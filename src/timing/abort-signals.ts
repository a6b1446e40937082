/** Helpers that listen to abort signals without leaking listeners. */

interface Listeners {
  readonly all: Set<() => void>;
  removeFromSignal(): void;
}

// One event listener per signal, because Node warns above ten listeners and all calls of a connection share one signal.
const listenersOf = new WeakMap<AbortSignal, Listeners>();

/** Calls the listener when the signal aborts, unless the returned function is called first. `signal.aborted` must be false. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const { all, removeFromSignal } = listenersOf.get(signal) ?? listenTo(signal);
  all.add(listener);
  return () => {
    if (all.delete(listener) && all.size === 0) removeFromSignal();
  };
}

function listenTo(signal: AbortSignal): Listeners {
  const all = new Set<() => void>();
  const callAll = (): void => {
    for (const listener of [...all]) listener();
  };
  const removeFromSignal = (): void => {
    signal.removeEventListener('abort', callAll);
    listenersOf.delete(signal);
  };
  const listeners = { all, removeFromSignal };
  signal.addEventListener('abort', callAll, { once: true });
  listenersOf.set(signal, listeners);
  return listeners;
}

/** Like `AbortSignal.any`, but `release` removes the listeners, which would leak on the long-lived signal of a connection. */
export function anySignal(signals: readonly (AbortSignal | undefined)[]): { signal: AbortSignal; release: () => void } {
  const abort = new AbortController();
  const unsubscribes: (() => void)[] = [];
  for (const signal of signals) {
    if (signal?.aborted) abort.abort(signal.reason);
    else if (signal) unsubscribes.push(onAbort(signal, () => abort.abort(signal.reason)));
  }
  const release = (): void => {
    for (const unsubscribe of unsubscribes) unsubscribe();
  };
  return { signal: abort.signal, release };
}

/** Settles like the promise, or rejects with the signal's reason when the signal aborts. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const unsubscribe = signal.aborted ? undefined : onAbort(signal, () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
    promise.then(resolve, reject).finally(() => unsubscribe?.());
  });
}

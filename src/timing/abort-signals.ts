/** Listening to abort signals without leaks. */

interface Listeners {
  readonly all: Set<() => void>;
  removeFromSignal(): void;
}

// Node warns of a leak beyond ten listeners of one signal; the signal of a connection has one per call.
const listenersOf = new WeakMap<AbortSignal, Listeners>();

/** Calls back when the signal aborts, until the returned function is called. For signals that have not aborted. */
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

/**
 * A signal that aborts with the first of these, until it is released. `AbortSignal.any` would leave something behind in
 * a signal that lives as long as a connection does.
 */
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

/** The promise's outcome, or a rejection with the signal's reason as soon as it aborts. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const unsubscribe = signal.aborted ? undefined : onAbort(signal, () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
    promise.then(resolve, reject).finally(() => unsubscribe?.());
  });
}

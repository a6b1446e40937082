/** Listens to abort signals without leaking listeners. */

interface Listeners {
  readonly all: Set<() => void>;
  removeFromSignal(): void;
}

// Listeners by signal. Each signal has only one listener of its own: Node warns above ten, and all calls of a connection use
// its signal.
const listenersOf = new WeakMap<AbortSignal, Listeners>();

/** Calls the listener when the signal aborts, unless the returned function is called before. The signal must not have aborted. */
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
 * Returns a signal that aborts with the first of these, until `release` is called. `AbortSignal.any` cannot be released, so it
 * would leak memory with the signal of a connection.
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

/** Settles as the promise does, or rejects with the signal's reason when the signal aborts. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const unsubscribe = signal.aborted ? undefined : onAbort(signal, () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
    promise.then(resolve, reject).finally(() => unsubscribe?.());
  });
}

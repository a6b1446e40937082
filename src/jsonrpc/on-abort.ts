/** Hearing of an abort, together with any number of others. */

interface Hearers {
  readonly listeners: Set<() => void>;
  leave(): void;
}

// Node takes more than ten listeners of one signal for a leak and says so; a connection has as many calls as it likes.
const hearers = new WeakMap<AbortSignal, Hearers>();

/** Calls back when the signal aborts, until the returned function is called. For signals that have not aborted. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const { listeners, leave } = hearers.get(signal) ?? begin(signal);
  listeners.add(listener);
  return () => {
    if (listeners.delete(listener) && listeners.size === 0) leave();
  };
}

function begin(signal: AbortSignal): Hearers {
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const leave = (): void => {
    signal.removeEventListener('abort', tell);
    hearers.delete(signal);
  };
  const begun = { listeners, leave };
  signal.addEventListener('abort', tell, { once: true });
  hearers.set(signal, begun);
  return begun;
}

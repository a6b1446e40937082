/** Parts of this package that are loaded when they are first needed: most programs never need them. */

/** A part that is loaded on first use. */
export interface Later<M> {
  /** Does something with it: at once if it is there, else when it is. Those who wait for it go on in their order. */
  use<T>(use: (part: M) => T): T | Promise<Awaited<T>>;
  readonly isLoaded: boolean;
  /** Spares the loading: for those who have the part anyway. Who waits for it already goes on when it is loaded. */
  have(part: M): void;
}

/** Loads a part when it is first used, once for all who wait for it. */
export function later<M>(load: () => Promise<M>): Later<M> {
  let loaded: M | undefined;
  let loading: Promise<M> | undefined;
  const keep = (part: M): M => {
    loaded = part;
    return part;
  };
  const forget = (error: unknown): never => {
    loading = undefined; // The next call may have more luck.
    throw error;
  };
  return {
    use<T>(use: (part: M) => T) {
      if (loaded !== undefined) return use(loaded);
      loading ??= load().then(keep, forget);
      return loading.then(use) as Promise<Awaited<T>>;
    },
    get isLoaded() {
      return loaded !== undefined;
    },
    have: keep,
  };
}

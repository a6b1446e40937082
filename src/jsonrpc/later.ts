/** Parts of this package that are loaded when they are first needed: most programs never need them. */

/** A part that is loaded on first use. */
export interface Later<M> {
  /** Does something with it: at once if it is there, else when it is. Those who wait for it go on in their order. */
  use<T>(use: (part: M) => T): T | Promise<Awaited<T>>;
  /** The part, if it is there. */
  readonly loaded: M | undefined;
  /** Loads it: settles when that is done. Undefined if the part is there. */
  load(): Promise<void> | undefined;
  /** Spares the loading: for those who have the part anyway. Who waits for it already goes on when it is loaded. */
  have(part: M): void;
}

/** Loads a part when it is first used, once for all who wait for it. */
// A bundler may leave out what nobody uses:
/* @__NO_SIDE_EFFECTS__ */
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
  const begin = (): Promise<M> => {
    loading ??= load().then(keep, forget);
    return loading;
  };
  return {
    use<T>(use: (part: M) => T) {
      return loaded === undefined ? (begin().then(use) as Promise<Awaited<T>>) : use(loaded);
    },
    load: () => (loaded === undefined ? begin().then(() => {}) : undefined),
    get loaded() {
      return loaded;
    },
    have: keep,
  };
}

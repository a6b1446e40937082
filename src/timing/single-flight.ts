/** Runs at most one function per key at a time. Concurrent callers share its promise. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Promise<T>>();

  get size(): number {
    return this.#running.size;
  }

  get(key: string): Promise<T> | undefined {
    return this.#running.get(key);
  }

  /** Returns the promise of the function that is running for `key`. If none is running, runs `task` and returns its promise. */
  run(key: string, task: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running) return running;
    const started = task().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }
}

/** Returns a function that runs `task` once and keeps its promise. After a failure, the next call runs `task` again. */
export function once<T, Arguments extends readonly unknown[]>(
  task: (...values: Arguments) => Promise<T>,
): (...values: Arguments) => Promise<T> {
  let outcome: Promise<T> | undefined;
  return (...values) => {
    outcome ??= task(...values).catch((error: unknown) => {
      outcome = undefined;
      throw error;
    });
    return outcome;
  };
}

/** Work that concurrent callers share. */

/** Runs one task per key at a time: callers that come while it runs get its promise. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Promise<T>>();

  /** The number of tasks that are running. */
  get size(): number {
    return this.#running.size;
  }

  /** The task that is running under this key. */
  get(key: string): Promise<T> | undefined {
    return this.#running.get(key);
  }

  /** The outcome of the task that is running under this key, or else of this one. */
  run(key: string, task: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running) return running;
    const started = task().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }
}

/** Runs the task once, with the first caller, and again only after it has failed. */
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

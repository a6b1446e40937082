/** Runs one task per key at a time: concurrent callers share its promise. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Promise<T>>();

  /** The number of running tasks. */
  get size(): number {
    return this.#running.size;
  }

  /** Returns the promise of the running task of a key. */
  get(key: string): Promise<T> | undefined {
    return this.#running.get(key);
  }

  /** Returns the promise of the running task of a key, or starts this task. */
  run(key: string, task: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running) return running;
    const started = task().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }
}

/** Returns a function that runs the task on its first call, returns that result to all callers, and retries after a failure. */
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

/** Schemas that are being read closely. What is wrong with one is told once: to whoever waits for them, or reported. */
export class Readings {
  readonly #open = new Set<Promise<unknown>>();
  #waiting = 0;

  /** Keeps an eye on one. */
  add(passed: Promise<unknown>, report: (error: unknown) => void): void {
    this.#open.add(passed);
    const failed = (error: unknown): void => {
      if (this.#waiting === 0) report(error);
    };
    void passed.catch(failed).finally(() => this.#open.delete(passed));
  }

  /** Settles when all of them are read, and rejects with what is wrong; undefined if there is nothing to wait for. */
  end(): Promise<void> | undefined {
    return this.#open.size > 0 ? this.#end() : undefined;
  }

  async #end(): Promise<void> {
    this.#waiting++;
    try {
      while (this.#open.size > 0) await Promise.all(this.#open);
    } finally {
      this.#waiting--;
    }
  }
}

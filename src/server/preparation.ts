/**
 * What registration has begun and not finished, such as the close reading of a schema. It is through before anything is
 * served, and what went wrong with it is told once: to the first who waits for it, else by a report.
 */
export class Preparation {
  readonly #open = new Set<Promise<unknown>>();
  #faults: Fault[] = [];
  #waiting = 0;
  /** Whether somebody serves: what goes wrong from then on is reported. */
  #isServed = false;

  /** Takes something on. Of what is not needed any more nobody has to know what went wrong. */
  add(work: Promise<unknown>, report: (error: unknown) => void, isNeeded: () => boolean = () => true): void {
    this.#open.add(work);
    const failed = (error: unknown): void => {
      this.#faults.push({ error, report, isNeeded });
      if (this.#isServed) this.reportFromNowOn();
    };
    void work.catch(failed).finally(() => this.#open.delete(work));
  }

  /** For those who can wait: settles when it is through, and rejects with what went wrong; undefined if it is through. */
  end(): Promise<void> | undefined {
    this.#isServed = true;
    return this.#open.size > 0 || this.#faults.length > 0 ? this.#end() : undefined;
  }

  /** For those who cannot: what went wrong is reported, and what will, unless somebody waits to be told. */
  reportFromNowOn(): void {
    this.#isServed = true;
    if (this.#waiting === 0) for (const { error, report } of this.#take()) report(error);
  }

  async #end(): Promise<void> {
    this.#waiting++;
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
    this.#waiting--;
    const [first, ...others] = this.#take();
    for (const { error, report } of others) report(error);
    if (first) throw first.error;
  }

  #take(): readonly Fault[] {
    const faults = this.#faults.filter(({ isNeeded }) => isNeeded());
    this.#faults = [];
    return faults;
  }
}

interface Fault {
  readonly error: unknown;
  readonly report: (error: unknown) => void;
  readonly isNeeded: () => boolean;
}

/** Many deadlines of the same length on one timer: nearly all of them are called off long before. */

interface Deadline {
  readonly due: number;
  readonly expire: () => void;
}

/** Deadlines that are all so many milliseconds away when they begin. */
export class Deadlines {
  readonly #milliseconds: number;
  /** In the order they are due in. */
  readonly #open = new Set<Deadline>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Calls back when the time is over, unless the returned function is called before. */
  begin(expire: () => void): () => void {
    const deadline = { due: performance.now() + this.#milliseconds, expire };
    this.#open.add(deadline);
    this.#timer ??= this.#lookIn(this.#milliseconds);
    return () => {
      this.#open.delete(deadline);
      if (this.#isClosed) this.close();
    };
  }

  /** No more begin; the timer ends with the last that is left. */
  close(): void {
    this.#isClosed = true;
    if (this.#open.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #lookIn(milliseconds: number): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => this.#look(), milliseconds);
    // What is waited for keeps the process alive itself.
    (timer as { unref?: () => void }).unref?.();
    return timer;
  }

  // The one the timer was set for is mostly gone; then it is set for the first that is left.
  #look(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const deadline of [...this.#open]) {
      if (deadline.due > now) {
        this.#timer = this.#lookIn(deadline.due - now);
        return;
      }
      this.#open.delete(deadline);
      deadline.expire();
    }
  }
}

/** Messages that have arrived, and those who wait for one. */

const PATIENCE_MS = 10_000;

/** Hands messages out in the order they came in. */
export class Inbox {
  readonly #messages: unknown[] = [];
  #waiting: ((message: unknown) => void) | undefined;
  #fail: ((error: Error) => void) | undefined;
  #end: Error | undefined;

  put(message: unknown): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting(message);
    else this.#messages.push(message);
  }

  /** Nothing will come any more. */
  end(error: Error): void {
    this.#end = error;
    this.#fail?.(error);
  }

  /** The next message; rejects if none comes within ten seconds. */
  async next(): Promise<unknown> {
    if (this.#messages.length > 0) return this.#messages.shift();
    if (this.#end) throw this.#end;
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting = resolve;
        this.#fail = reject;
        timer = setTimeout(() => reject(new Error('the server says nothing')), PATIENCE_MS);
      });
    } finally {
      clearTimeout(timer);
      this.#fail = undefined;
    }
  }
}

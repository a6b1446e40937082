/** Something that several connections wait for, done once: it goes on for as long as one of them does. */

import type { ProtectedServer } from '../../client/http-options.ts';

/** What a task that is shared can ask of those who wait for it. */
export interface FlowHost {
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
  /** Runs what needs a person: the clocks of all who wait stand still meanwhile. */
  withPerson<T>(task: () => Promise<T>): Promise<T>;
}

/** A connection that waits, however many of its requests do. */
interface Waiting<T> {
  readonly outcome: Promise<T>;
  /** Lets its clocks go on. */
  go: (() => void) | undefined;
}

/** One run of a task, and those who wait for it. */
export class SharedFlow<T> {
  readonly #abort = new AbortController();
  readonly #waiting = new Map<ProtectedServer, Waiting<T>>();
  /** What came of it. */
  readonly outcome: Promise<T>;
  #needsPerson = false;

  constructor(task: (host: FlowHost) => Promise<T>) {
    this.outcome = task({ signal: this.#abort.signal, withPerson: (work) => this.#withPerson(work) });
    // Whoever waits is told; there may be nobody left.
    this.outcome.catch(() => {});
  }

  /** True when everybody who waited has gone: nobody should begin to wait. */
  get isGivenUp(): boolean {
    return this.#abort.signal.aborted;
  }

  /** The outcome, or the reason why this connection does not want it any more. */
  join(server: ProtectedServer): Promise<T> {
    if (server.signal.aborted) return Promise.reject(server.signal.reason);
    const waiting = this.#waiting.get(server);
    if (waiting) return waiting.outcome;
    const outcome = this.#outcomeFor(server);
    this.#waiting.set(server, { outcome, go: this.#needsPerson ? server.waitForPerson() : undefined });
    return outcome;
  }

  // One listener for each connection: its signal lives longer than this, and has many others.
  #outcomeFor(server: ProtectedServer): Promise<T> {
    const { signal } = server;
    return new Promise((resolve, reject) => {
      const leave = (settle: () => void): void => {
        signal.removeEventListener('abort', onAbort);
        this.#waiting.get(server)?.go?.();
        this.#waiting.delete(server);
        settle();
      };
      const onAbort = (): void => {
        leave(() => reject(signal.reason));
        if (this.#waiting.size === 0) this.#abort.abort(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.outcome.then(
        (value) => leave(() => resolve(value)),
        (error: unknown) => leave(() => reject(error)),
      );
    });
  }

  async #withPerson<U>(work: () => Promise<U>): Promise<U> {
    this.#needsPerson = true;
    for (const [server, waiting] of this.#waiting) waiting.go = server.waitForPerson();
    try {
      return await work();
    } finally {
      this.#needsPerson = false;
      for (const waiting of this.#waiting.values()) {
        waiting.go?.();
        waiting.go = undefined;
      }
    }
  }
}

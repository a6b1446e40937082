/** Something that several connections wait for, done once: it goes on for as long as one of them does. */

import type { ProtectedServer } from '../../client/http-options.ts';

/** What a task that is shared can ask of those who wait for it. */
export interface FlowHost {
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
  /** Runs what needs a person: the clocks of all who wait stand still meanwhile. */
  withPerson<T>(task: () => Promise<T>): Promise<T>;
}

/** One run of a task, and those who wait for it. */
export class SharedFlow<T> {
  readonly #abort = new AbortController();
  readonly #waiting = new Map<ProtectedServer, (() => void) | undefined>();
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
    const { signal } = server;
    if (signal.aborted) return Promise.reject(signal.reason);
    if (!this.#waiting.has(server)) {
      this.#waiting.set(server, this.#needsPerson ? server.waitForPerson() : undefined);
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener('abort', onAbort);
        this.#waiting.get(server)?.();
        this.#waiting.delete(server);
      };
      const onAbort = (): void => {
        leave();
        if (this.#waiting.size === 0) this.#abort.abort(signal.reason);
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.outcome.then(resolve, reject).finally(leave);
    });
  }

  async #withPerson<U>(work: () => Promise<U>): Promise<U> {
    this.#needsPerson = true;
    for (const server of this.#waiting.keys()) this.#waiting.set(server, server.waitForPerson());
    try {
      return await work();
    } finally {
      this.#needsPerson = false;
      for (const [server, go] of this.#waiting) {
        this.#waiting.set(server, undefined);
        go?.();
      }
    }
  }
}

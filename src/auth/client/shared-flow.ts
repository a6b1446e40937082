/** Something that several requests wait for, done once: it goes on for as long as one of them does. */

import type { AuthRequest, ProtectedServer } from '../../client/http-options.ts';

/** What a task that is shared can ask of those who wait for it. */
export interface FlowHost {
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
  /** Runs what needs a person: the clocks of all who wait stand still meanwhile. */
  withPerson<T>(task: () => Promise<T>): Promise<T>;
}

/** Who waits: a request, until its signal aborts. */
export type Waiter = Pick<AuthRequest, 'isBackground' | 'signal'>;

/** A connection that waits, with the requests of it that do. */
interface Waiting<T> {
  readonly outcome: Promise<T>;
  readonly requests: Set<Waiter>;
  /** It does not wait any more. */
  leave(): void;
  /** Lets its clocks go on. */
  go: (() => void) | undefined;
}

// Whoever has a lock for longer waits for a person.
const LOCK_MS = 250;

/** One run of a task, and those who wait for it. */
export class SharedFlow<T> {
  readonly #abort = new AbortController();
  readonly #waiting = new Map<ProtectedServer, Waiting<T>>();
  /** What came of it. */
  readonly outcome: Promise<T>;
  #persons = 0;

  constructor(task: (host: FlowHost) => Promise<T>) {
    this.outcome = task({ signal: this.#abort.signal, withPerson: (work) => this.#withPerson(work) });
    // Whoever waits is told; there may be nobody left.
    this.outcome.catch(() => {});
  }

  /** True when everybody who waited has gone: nobody should begin to wait. */
  get isGivenUp(): boolean {
    return this.#abort.signal.aborted;
  }

  /** The outcome, or the reason why this request or its connection does not want it any more. */
  async join(server: ProtectedServer, request: Waiter): Promise<T> {
    server.signal.throwIfAborted();
    const { signal } = request;
    signal?.throwIfAborted();
    const waiting = this.#waiting.get(server) ?? this.#begin(server);
    waiting.requests.add(request);
    if (!signal) return waiting.outcome;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        reject(signal.reason);
        waiting.requests.delete(request);
        if (waiting.requests.size === 0) waiting.leave();
        this.#endIfUnwanted(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.outcome.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  // One listener for each connection: its signal lives longer than this, and has many others.
  #begin(server: ProtectedServer): Waiting<T> {
    const { signal } = server;
    let settle: { resolve(value: T): void; reject(reason: unknown): void } | undefined;
    const outcome = new Promise<T>((resolve, reject) => {
      settle = { resolve, reject };
    });
    const onAbort = (): void => {
      waiting.leave();
      settle?.reject(signal.reason);
      this.#endIfUnwanted(signal.reason);
    };
    const waiting: Waiting<T> = {
      outcome,
      requests: new Set(),
      leave: () => {
        signal.removeEventListener('abort', onAbort);
        waiting.go?.();
        waiting.go = undefined;
        this.#waiting.delete(server);
      },
      go: this.#persons > 0 ? server.pauseTimeouts() : undefined,
    };
    outcome.catch(() => {});
    signal.addEventListener('abort', onAbort, { once: true });
    const over = (tell: () => void): void => {
      if (this.#waiting.get(server) === waiting) waiting.leave();
      tell();
    };
    this.outcome.then(
      (value) => over(() => settle?.resolve(value)),
      (error: unknown) => over(() => settle?.reject(error)),
    );
    this.#waiting.set(server, waiting);
    return waiting;
  }

  // Nobody is asked for the sake of what belongs to no call.
  #endIfUnwanted(reason: unknown): void {
    const isNeeded = ({ isBackground }: Waiter): boolean => this.#persons === 0 || !isBackground;
    const isWanted = [...this.#waiting.values()].some(({ requests }) => [...requests].some(isNeeded));
    if (!isWanted) this.#abort.abort(reason);
  }

  async #withPerson<U>(work: () => Promise<U>): Promise<U> {
    this.#persons++;
    for (const [server, waiting] of this.#waiting) waiting.go ??= server.pauseTimeouts();
    try {
      return await work();
    } finally {
      this.#persons--;
      if (this.#persons === 0) {
        for (const waiting of this.#waiting.values()) {
          waiting.go?.();
          waiting.go = undefined;
        }
      }
    }
  }
}

/**
 * Runs a task when its turn comes. While another process has it, it is a person who is waited for, as far as anybody
 * knows; without a host nobody is.
 */
export async function waitingAsForPerson<T>(
  host: FlowHost | undefined,
  exclusive: (task: () => Promise<T>) => Promise<T>,
  task: () => Promise<T>,
): Promise<T> {
  let onTurn = (): void => {};
  const turn = new Promise<void>((resolve) => {
    onTurn = resolve;
  });
  const timer = host && setTimeout(() => void host.withPerson(() => turn), LOCK_MS);
  const begin = (): void => {
    clearTimeout(timer);
    onTurn();
  };
  try {
    return await exclusive(() => {
      begin();
      return task();
    });
  } finally {
    begin();
  }
}

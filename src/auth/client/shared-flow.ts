/** `SharedFlow`: a task that several requests wait for. The task is aborted when no request waits any more. */

import type { AuthRequest, ProtectedServer } from '../../client/http-options.ts';

export interface FlowHost {
  /** Aborts when no request waits for the task any more. */
  readonly signal: AbortSignal;
  /** Runs a part of the task that waits for the user. The timeouts of all waiting connections are paused meanwhile. */
  withPerson<T>(task: () => Promise<T>): Promise<T>;
}

/** A request that waits for the task, until its signal aborts. */
export type Waiter = Pick<AuthRequest, 'isBackground' | 'signal'>;

/** A connection whose requests wait for the task. */
interface Waiting<T> {
  readonly outcome: Promise<T>;
  readonly requests: Set<Waiter>;
  /** Removes the connection from the waiting ones, and resumes its timeouts. */
  leave(): void;
  /** Resumes the timeouts of the connection; undefined while they are not paused. */
  go: (() => void) | undefined;
}

// If another process holds the lock for longer, it is assumed to wait for the user.
const LOCK_MS = 250;

export class SharedFlow<T> {
  readonly #abort = new AbortController();
  readonly #waiting = new Map<ProtectedServer, Waiting<T>>();
  readonly outcome: Promise<T>;
  #persons = 0;

  constructor(task: (host: FlowHost) => Promise<T>) {
    this.outcome = task({ signal: this.#abort.signal, withPerson: (work) => this.#withPerson(work) });
    // Prevents an unhandled rejection if no request waits any more.
    this.outcome.catch(() => {});
  }

  /** True if the task was aborted because no request waited. Then no request may join. */
  get isGivenUp(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Waits for the result of the task. Rejects if the request or its connection is aborted first. */
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

  // One abort listener per connection, not per request: the signal outlives this task and has many other listeners.
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

  // While the task waits for the user, background requests alone do not keep it running.
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

/** Runs `task` under a lock. While another process holds it, probably waiting for the user, `host` pauses the timeouts. */
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

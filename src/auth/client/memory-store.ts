/** `memoryStore()`: credentials in memory. */

import type { CredentialStore } from './store.ts';

/** Creates a credential store in memory. Its content is lost when the process ends. */
export function memoryStore(): CredentialStore {
  // Values are kept as JSON text, so that callers cannot modify them.
  const kept = new Map<string, string>();
  const turns = new Turns();
  return {
    async get(key) {
      const text = kept.get(key);
      return text === undefined ? undefined : JSON.parse(text);
    },
    async set(key, value) {
      if (value === undefined) kept.delete(key);
      else kept.set(key, JSON.stringify(value));
    },
    exclusive: (key, task, signal) => turns.take(key, task, signal),
  };
}

/** Locks: tasks with the same key run one at a time, in the order of their calls. */
class Turns {
  /** Functions that start the waiting tasks, by key. A key has an entry while its lock is held. */
  readonly #waiting = new Map<string, Set<() => void>>();

  async take<T>(key: string, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    await this.#begin(key, signal);
    try {
      return await task();
    } finally {
      this.#end(key);
    }
  }

  #begin(key: string, signal: AbortSignal): Promise<void> | undefined {
    const waiting = this.#waiting.get(key);
    if (!waiting) {
      this.#waiting.set(key, new Set());
      return;
    }
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        waiting.delete(begin);
        reject(signal.reason);
      };
      waiting.add(begin);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #end(key: string): void {
    const waiting = this.#waiting.get(key);
    const [next] = waiting ?? [];
    if (!waiting || !next) {
      this.#waiting.delete(key);
      return;
    }
    waiting.delete(next);
    next();
  }
}

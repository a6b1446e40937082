/** Credentials that are forgotten when the process ends. */

import type { CredentialStore } from './store.ts';

/** A store in memory: for one process, and for as long as it runs. */
export function memoryStore(): CredentialStore {
  // As text, so that nobody who got a value changes the one that is kept.
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

/** Has tasks of the same key run one after the other, in the order in which they came. */
class Turns {
  /** Who waits, by the key that somebody else has. */
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

/** The one publisher of changes: what happens within one tick is told once. */

import type { Change } from '../protocol/model/changes.ts';
import type { ChangeBus } from '../store/changes.ts';
import { isPromise } from './maybe.ts';

interface Watcher {
  readonly listener: (change: Change) => void;
}

/** Publishes changes to everybody who watches this server, here or on other nodes. */
export class Changes {
  readonly #bus: ChangeBus<Change>;
  readonly #onError: (error: unknown) => void;
  readonly #pending = new Map<string, Change>();
  readonly #watchers = new Set<Watcher>();
  #unsubscribe: (() => void) | undefined;

  constructor(bus: ChangeBus<Change>, onError: (error: unknown) => void) {
    this.#bus = bus;
    this.#onError = onError;
  }

  /** Tells every watcher, once, at the end of this tick. */
  publish(change: Change): void {
    if (this.#pending.size === 0) queueMicrotask(() => this.#flush());
    this.#pending.set(change.type === 'resource' ? `resource ${change.uri}` : change.type, change);
  }

  /** Hears of every change until the returned function is called. */
  watch(listener: (change: Change) => void): () => void {
    // The same listener may watch twice.
    const watcher: Watcher = { listener };
    this.#unsubscribe ??= this.#bus.subscribe((change) => this.#tell(change));
    this.#watchers.add(watcher);
    return () => this.#unwatch(watcher);
  }

  #unwatch(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  // One listener that fails must not keep the others from hearing.
  #tell(change: Change): void {
    for (const { listener } of [...this.#watchers]) this.#attempt(() => listener(change));
  }

  #flush(): void {
    const changes = [...this.#pending.values()];
    this.#pending.clear();
    for (const change of changes) this.#attempt(() => this.#bus.publish(change));
  }

  // Nobody called who could be told.
  #attempt(action: () => unknown): void {
    try {
      const result = action();
      if (isPromise(result)) result.then(undefined, this.#onError);
    } catch (error) {
      this.#onError(error);
    }
  }
}

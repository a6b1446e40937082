/** The one publisher of changes: what happens within one tick is told once. */

import type { Change } from '../protocol/model/changes.ts';
import type { ChangeBus } from '../store/changes.ts';

/** Publishes changes to everybody who watches this server, here or on other nodes. */
export class Changes {
  readonly #bus: ChangeBus<Change>;
  readonly #onError: (error: unknown) => void;
  readonly #pending = new Map<string, Change>();

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
    return this.#bus.subscribe(listener);
  }

  #flush(): void {
    const changes = [...this.#pending.values()];
    this.#pending.clear();
    for (const change of changes) {
      try {
        this.#bus.publish(change);
      } catch (error) {
        // Nobody called us who could be told: this runs at the end of a tick.
        this.#onError(error);
      }
    }
  }
}

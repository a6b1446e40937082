/** The one publisher of changes: what happens within one tick is told once. */

import type { ServerEvent } from '../protocol/model/changes.ts';
import type { Observer } from '../protocol/revision.ts';
import type { ChangeBus } from '../store/changes.ts';
import { isPromise } from './maybe.ts';

/** Whether a change is told to this observer. */
export type MaySee = (change: ServerEvent, observer: Observer) => boolean;

interface Watcher {
  readonly listener: (change: ServerEvent) => void;
  readonly observer: Observer;
  readonly maySee: MaySee;
}

/** Publishes changes to everybody who watches this server, here or on other nodes. */
export class Changes {
  readonly #bus: ChangeBus<ServerEvent>;
  readonly #onError: (error: unknown) => void;
  readonly #pending = new Map<string, ServerEvent>();
  // One subscription to the bus for all: a watcher of an open stream takes as little memory as it can.
  readonly #watchers = new Set<Watcher>();
  #unsubscribe: (() => void) | undefined;

  constructor(bus: ChangeBus<ServerEvent>, onError: (error: unknown) => void) {
    this.#bus = bus;
    this.#onError = onError;
  }

  /** Tells every watcher, once, at the end of this tick. */
  publish(change: ServerEvent): void {
    if (this.#pending.size === 0) queueMicrotask(() => this.#flush());
    this.#pending.set(this.#keyOf(change), change);
  }

  /** Hears of every change that may be told to this observer, until the returned function is called. */
  watch(listener: (change: ServerEvent) => void, observer: Observer, maySee: MaySee): () => void {
    const watcher = { listener, observer, maySee };
    this.#watchers.add(watcher);
    this.#unsubscribe ??= this.#bus.subscribe((change) => this.#deliver(change));
    return this.#unwatch.bind(this, watcher);
  }

  #unwatch(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  // One listener that fails must not keep the others from hearing.
  #deliver(change: ServerEvent): void {
    for (const { listener, observer, maySee } of [...this.#watchers]) {
      this.#attempt(() => maySee(change, observer) && listener(change));
    }
  }

  #keyOf(change: ServerEvent): string {
    if (change.type === 'log') return `log ${this.#pending.size}`;
    return change.type === 'resource' ? `resource ${change.uri}` : change.type;
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

/** The one publisher of changes: what happens within one tick is told once. */

import { isPromise, type MaybePromise, thenMaybe } from '../../jsonrpc/maybe-promise.ts';
import type { ServerEvent, SubscribedUris } from '../../protocol/model/changes.ts';
import type { Observer } from '../../protocol/revision.ts';
import type { ChangeBus, Resync } from '../../store/change-bus.ts';

/** Whether a change is told to this observer. */
export type CanObserve = (change: ServerEvent, observer: Observer) => boolean;

interface Watcher {
  readonly listener: (change: ServerEvent) => void;
  readonly observer: Observer;
  readonly maySee: CanObserve;
  readonly subscribed: SubscribedUris | undefined;
}

// As if they had changed, when changes may have been missed.
const ALL_LISTS: readonly ServerEvent[] = [{ type: 'tools' }, { type: 'prompts' }, { type: 'resources' }];

/** Publishes changes to everybody who watches this server, here or on other nodes. */
export class ChangePublisher {
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

  /**
   * Calls back with every change that may be told to this observer, until the returned function is called. When changes may have
   * been missed these are all lists and the resources that are subscribed to.
   */
  watch(
    listener: (change: ServerEvent) => void,
    observer: Observer,
    maySee: CanObserve,
    subscribed?: SubscribedUris,
  ): () => void {
    const watcher = { listener, observer, maySee, subscribed };
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

  // A listener that fails must not keep the others from being called.
  #deliver(change: ServerEvent | Resync): void {
    for (const watcher of [...this.#watchers]) {
      if (change.type === 'resync') this.#attempt(() => this.#resync(watcher));
      else this.#tell(watcher, change);
    }
  }

  #tell({ listener, observer, maySee }: Watcher, change: ServerEvent): void {
    this.#attempt(() => maySee(change, observer) && listener(change));
  }

  #resync(watcher: Watcher): MaybePromise<void> {
    for (const change of ALL_LISTS) this.#tell(watcher, change);
    const canSee = (uri: string): boolean => watcher.maySee({ type: 'resource', uri }, watcher.observer);
    return thenMaybe(watcher.subscribed?.(canSee) ?? [], (uris) => {
      for (const uri of uris) if (this.#watchers.has(watcher)) this.#tell(watcher, { type: 'resource', uri });
    });
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

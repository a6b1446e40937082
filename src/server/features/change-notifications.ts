/** Publishes list changes, resource updates and log messages of a server to all nodes that share a `ChangeBus`. */

import { ignoreRejection, type MaybePromise, thenMaybe } from '../../jsonrpc/maybe-promise.ts';
import type { ServerEvent, SubscribedUris } from '../../protocol/model/changes.ts';
import type { Observer } from '../../protocol/revision.ts';
import type { ChangeBus, Resync } from '../../store/change-bus.ts';

export type CanObserve = (change: ServerEvent, observer: Observer) => boolean;

interface Watcher {
  readonly listener: (change: ServerEvent) => void;
  readonly observer: Observer;
  readonly canObserve: CanObserve;
  readonly subscribed: SubscribedUris | undefined;
}

// A `Resync` from the bus means that changes could be lost. Watchers then get these changes, and one for each subscribed URI.
const ALL_LISTS: readonly ServerEvent[] = [{ type: 'tools' }, { type: 'prompts' }, { type: 'resources' }];

export class ChangePublisher {
  readonly #bus: ChangeBus<ServerEvent>;
  readonly #onError: (error: unknown) => void;
  readonly #pending = new Map<string, ServerEvent>();
  // All watchers share one subscription to the change bus, to save memory per open stream.
  readonly #watchers = new Set<Watcher>();
  #unsubscribe: (() => void) | undefined;

  constructor(bus: ChangeBus<ServerEvent>, onError: (error: unknown) => void) {
    this.#bus = bus;
    this.#onError = onError;
  }

  /** Publishes a change in a microtask. Until then, equal changes are merged into one. Log messages are never merged. */
  publish(change: ServerEvent): void {
    if (this.#pending.size === 0) queueMicrotask(() => this.#flush());
    this.#pending.set(this.#keyOf(change), change);
  }

  /** Calls `listener` with every change for which `canObserve` returns true, until the returned function is called. */
  watch(
    listener: (change: ServerEvent) => void,
    observer: Observer,
    canObserve: CanObserve,
    subscribed?: SubscribedUris,
  ): () => void {
    const watcher = { listener, observer, canObserve, subscribed };
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

  // Calls all listeners. An error of one listener goes to `onError`, and the other listeners are still called.
  #deliver(change: ServerEvent | Resync): void {
    for (const watcher of [...this.#watchers]) {
      if (change.type === 'resync') ignoreRejection(() => this.#resync(watcher), this.#onError);
      else this.#notify(watcher, change);
    }
  }

  #notify({ listener, observer, canObserve }: Watcher, change: ServerEvent): void {
    ignoreRejection(() => {
      if (canObserve(change, observer)) listener(change);
    }, this.#onError);
  }

  #resync(watcher: Watcher): MaybePromise<void> {
    for (const change of ALL_LISTS) this.#notify(watcher, change);
    const canSee = (uri: string): boolean => watcher.canObserve({ type: 'resource', uri }, watcher.observer);
    return thenMaybe(watcher.subscribed?.(canSee) ?? [], (uris) => {
      for (const uri of uris) if (this.#watchers.has(watcher)) this.#notify(watcher, { type: 'resource', uri });
    });
  }

  #keyOf(change: ServerEvent): string {
    if (change.type === 'log') return `log ${this.#pending.size}`;
    return change.type === 'resource' ? `resource ${change.uri}` : change.type;
  }

  #flush(): void {
    const changes = [...this.#pending.values()];
    this.#pending.clear();
    for (const change of changes) ignoreRejection(() => this.#bus.publish(change), this.#onError);
  }
}

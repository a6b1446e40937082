/** Watches of lists and resources, with the same interface in every revision. */

import { ConnectionError, callGuarded } from '../jsonrpc/errors.ts';
import type { Notification, Params } from '../jsonrpc/message.ts';
import { shorten } from '../jsonrpc/printable.ts';
import type { ServerCapabilities } from '../protocol/model/capabilities.ts';
import { type Change, changeInNotification, isWithin } from '../protocol/model/changes.ts';
import type { RevisionFeatures } from '../protocol/revisions.ts';
import { Listening, type ListeningHost } from './listening.ts';
import { Subscribing, type SubscribingHost } from './subscribing.ts';
import { Telling } from './telling.ts';
import { changeOf, isList, isWatchable } from './watchable.ts';

/** A change. `resync` is set if changes could have been missed, so that everything must be read again. */
export type WatchEvent = Change & { readonly resync?: true };

/** Called with each change. Above 10 changes of a list or resource in 250 ms, the rest are merged. Errors go to `onError`. */
export type WatchListener = (event: WatchEvent) => void;

export interface WatchedConversation {
  readonly facts: RevisionFeatures;
  readonly serverCapabilities: ServerCapabilities;
  /** Why the server can push changes only while a call runs; undefined if it can push them at any time. */
  readonly deafness?: Error | undefined;
  request(method: string, params: Params): Promise<Record<string, unknown>>;
  /**
   * Sends a request without timeout. Notifications whose subscription id is the request's id go to `onNotice`, which returns
   * true if it handled them. Resolves when the server ends the request; rejects on failure and when `signal` aborts.
   */
  open(
    method: string,
    params: Params,
    onNotice: (notification: Notification) => boolean,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>;
}

export interface WatchesHost {
  /** Called with errors that belong to no call. */
  onError(error: Error): void;
  /** Called at once with every change, watched or not, and with every resync event. */
  onChange(change: Change): void;
}

interface Watcher {
  readonly listener: WatchListener;
  /** True after the server has agreed to send changes. */
  isEstablished: boolean;
  isStopped: boolean;
}

/** How changes are received: by `subscriptions/listen`, or pushed by the server. */
interface Way {
  begin(): Promise<void>;
  watch(what: string): Promise<boolean>;
  unwatch(what: string): Promise<void>;
  /** Handles a notification. Defined only if the server pushes changes. */
  take?(notification: Notification): boolean;
  end(): void;
}

type WayHost = ListeningHost & SubscribingHost;

const WAYS: Readonly<
  Record<RevisionFeatures['changes'], new (conversation: WatchedConversation, host: WayHost) => Way>
> = { pushed: Subscribing, subscribed: Listening };

/** All watches of a connection, which are kept across reconnects. */
export class Watches {
  readonly #host: WatchesHost;
  readonly #watched = new Map<string, Set<Watcher>>();
  readonly #telling: Telling<Watcher>;
  #way: Way | undefined;
  #conversation: WatchedConversation | undefined;
  #toldOfDeafness = false;
  #isClosed = false;

  constructor(host: WatchesHost) {
    this.#host = host;
    this.#telling = new Telling(({ event, listeners }) => {
      for (const watcher of listeners) if (!watcher.isStopped) this.#attempt(() => watcher.listener(event));
    });
  }

  /** Re-establishes all watches on a new connection, and sends resync events. Failures of single watches go to `onError`. */
  async begin(conversation: WatchedConversation): Promise<void> {
    if (this.#isClosed) throw closed();
    this.pause();
    const host: WayHost = {
      watched: this.#watched,
      hear: (notification) => this.#hear(notification),
      resync: (what) => this.#resync(what),
      lost: (what: string, cause?: Error) => this.#lost(what, cause),
      refused: (what) => this.#refused(what),
      onError: (error) => this.#report(error),
    };
    this.#way = new WAYS[conversation.facts.changes](conversation, host);
    this.#conversation = conversation;
    this.tellIfDeaf();
    await this.#way.begin();
  }

  /** Reports to `onError`, once, that the server can push changes only while a call runs, if anything is watched. */
  tellIfDeaf(): void {
    const cause = this.#conversation?.deafness;
    if (!cause || this.#watched.size === 0 || this.#toldOfDeafness) return;
    this.#toldOfDeafness = true;
    const text = `Changes are heard of only while a call runs, if at all: ${cause.message} where it would tell them`;
    this.#report(new ConnectionError('failed', text, { cause }));
  }

  /** Handles a notification that belongs to no call. Returns true if it is a pushed change. */
  take(notification: Notification): boolean {
    return this.#way?.take?.(notification) ?? false;
  }

  /** Watches a list or resource until the returned function is called. Rejects if the server does not send its changes. */
  async add(what: string, listener: WatchListener): Promise<() => Promise<void>> {
    if (!isWatchable(what)) {
      throw new TypeError('What is watched must be "tools", "prompts", "resources" or the URI of a resource');
    }
    if (this.#isClosed) throw closed();
    if (!this.#way) throw new ConnectionError('not-connected', 'There is no connection to watch at this moment');
    const watcher: Watcher = { listener, isEstablished: false, isStopped: false };
    const watchers = this.#watched.get(what) ?? new Set();
    // Added before the server responds, because a change can arrive before the response.
    this.#watched.set(what, watchers.add(watcher));
    try {
      if (!(await this.#way.watch(what))) throw notTold(what);
      if (!this.#watched.get(what)?.has(watcher)) throw closed();
    } catch (error) {
      void this.#remove(what, watcher);
      throw error;
    }
    watcher.isEstablished = true;
    this.tellIfDeaf();
    let stopping: Promise<void> | undefined;
    return () => {
      stopping ??= this.#remove(what, watcher);
      return stopping;
    };
  }

  /** Sends resync events to all watches, because changes could have been missed. */
  missed(): void {
    for (const what of [...this.#watched.keys()]) this.#resync(what);
  }

  /** Stops requests and events when the transport connection ends. Watches are kept, and get a resync event on reconnect. */
  pause(): void {
    this.#telling.clear();
    this.#way?.end();
    this.#way = this.#conversation = undefined;
  }

  /** Removes all watches when the connection is closed. */
  close(): void {
    this.#isClosed = true;
    this.pause();
    for (const watchers of this.#watched.values()) for (const watcher of watchers) watcher.isStopped = true;
    this.#watched.clear();
  }

  async #remove(what: string, watcher: Watcher): Promise<void> {
    watcher.isStopped = true;
    const watchers = this.#watched.get(what);
    if (!watchers?.delete(watcher) || watchers.size > 0) return;
    this.#watched.delete(what);
    await this.#way?.unwatch(what);
  }

  #hear(notification: Notification): boolean {
    const change = changeInNotification(notification);
    if (change) this.#tell(change, this.#concerned(change));
    return change !== undefined;
  }

  /** Returns the watchers of the list, or of the resource and the folders that contain it. */
  #concerned(change: Change): Watcher[] {
    if (change.type !== 'resource') return [...(this.#watched.get(change.type) ?? [])];
    const found: Watcher[] = [];
    for (const [what, watchers] of this.#watched) {
      if (isList(what) || !isWithin(change.uri, what)) continue;
      for (const watcher of watchers) found.push(watcher);
    }
    return found;
  }

  // A watch that is not established yet has missed nothing.
  #established(what: string): Watcher[] {
    return [...(this.#watched.get(what) ?? [])].filter((watcher) => watcher.isEstablished);
  }

  #resync(what: string): void {
    const watchers = this.#established(what);
    if (watchers.length > 0) this.#tell({ ...changeOf(what), resync: true }, watchers);
  }

  #lost(what: string, cause?: Error): void {
    if (this.#established(what).length > 0) this.#report(notTold(what, cause));
  }

  #refused(what: string): void {
    const watchers = this.#watched.get(what);
    for (const watcher of watchers ?? []) if (!watcher.isEstablished) watchers?.delete(watcher);
    if (watchers?.size === 0) this.#watched.delete(what);
  }

  #tell(event: WatchEvent, watchers: readonly Watcher[]): void {
    // Cached results are invalidated at once, even if the throttle delays the event.
    this.#attempt(() => this.#host.onChange(event));
    if (watchers.length > 0) this.#telling.tell({ event, listeners: watchers });
  }

  #attempt(action: () => unknown): void {
    callGuarded(action, (error) => this.#report(error));
  }

  // Errors thrown by `onError` itself are ignored.
  #report(error: Error): void {
    callGuarded(
      () => this.#host.onError(error),
      () => {},
    );
  }
}

function notTold(what: string, cause?: Error): ConnectionError {
  const [name, capability] = isList(what)
    ? [`its ${what}`, `${what}.listChanged`]
    : [shorten(what), 'resources.subscribe'];
  const reason = cause ? cause.message : `capability ${capability}`;
  return new ConnectionError('failed', `The server does not tell changes of ${name} (${reason})`, cause && { cause });
}

function closed(): ConnectionError {
  return new ConnectionError('closed', 'The connection is closed');
}

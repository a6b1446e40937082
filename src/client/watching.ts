/** Watching a server: one way to hear of changes, whichever way the revision has of telling them. */

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

/** What a watcher is told: a change, or (resync) that changes may have been missed and everything is to be read again. */
export type WatchEvent = Change & { readonly resync?: true };

/**
 * Hears of changes, as they come; of the same one more than ten times in 250 ms only once more, when they are over. What
 * it throws goes to `onError`.
 */
export type WatchListener = (event: WatchEvent) => void;

/** One conversation with a server, as far as watching needs it. */
export interface WatchedConversation {
  readonly facts: RevisionFeatures;
  readonly serverCapabilities: ServerCapabilities;
  /** Why changes that are told unasked are heard only while a call runs, if that is so. */
  readonly deafness?: Error | undefined;
  /** Calls a method and gives its result. */
  request(method: string, params: Params): Promise<Record<string, unknown>>;
  /**
   * Sends a request that stays open until it ends or `signal` aborts (it is then cancelled with
   * `notifications/cancelled`). Notifications that carry its id as subscriptionId go to `onNotice`, which gives true for
   * those it took. No timeout applies. Resolves with the result when the server ends it; rejects with `RpcError` or
   * `ConnectionError`.
   */
  open(
    method: string,
    params: Params,
    onNotice: (notification: Notification) => boolean,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>;
}

/** What watching needs from its owner. */
export interface WatchesHost {
  /** Something failed that nobody waits for. */
  onError(error: Error): void;
  /** Every change, as soon as it arrives, watched or not; also what may have been missed. */
  onChange(change: Change): void;
}

interface Watcher {
  readonly listener: WatchListener;
  /** The server has agreed to tell. */
  isEstablished: boolean;
  isStopped: boolean;
}

/** A way of hearing of changes. */
interface Way {
  begin(): Promise<void>;
  watch(what: string): Promise<boolean>;
  unwatch(what: string): Promise<void>;
  /** Where changes are told unasked. */
  take?(notification: Notification): boolean;
  end(): void;
}

type WayHost = ListeningHost & SubscribingHost;

const WAYS: Readonly<
  Record<RevisionFeatures['changes'], new (conversation: WatchedConversation, host: WayHost) => Way>
> = { pushed: Subscribing, subscribed: Listening };

/** Who watches what, from one conversation to the next. */
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

  /**
   * A conversation begins. All that is watched is established in it and told to re-sync. Rejects if that cannot be done
   * at all; single failures go to `onError`.
   */
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

  /** Tells `onError`, once, that changes of what is watched are not heard, if that is so. */
  tellIfDeaf(): void {
    const cause = this.#conversation?.deafness;
    if (!cause || this.#watched.size === 0 || this.#toldOfDeafness) return;
    this.#toldOfDeafness = true;
    const text = `Changes are heard of only while a call runs, if at all: ${cause.message} where it would tell them`;
    this.#report(new ConnectionError('failed', text, { cause }));
  }

  /** A notification that belongs to no call. True if it tells of a change, where those are told unasked. */
  take(notification: Notification): boolean {
    return this.#way?.take?.(notification) ?? false;
  }

  /**
   * Watches a list (`tools`, `prompts`, `resources`) or the resource with this URI and what is inside it, until the
   * returned function is called. Rejects if the server does not tell of it.
   */
  async add(what: string, listener: WatchListener): Promise<() => Promise<void>> {
    if (!isWatchable(what)) {
      throw new TypeError('What is watched must be "tools", "prompts", "resources" or the URI of a resource');
    }
    if (this.#isClosed) throw closed();
    if (!this.#way) throw new ConnectionError('not-connected', 'There is no connection to watch at this moment');
    const watcher: Watcher = { listener, isEstablished: false, isStopped: false };
    const watchers = this.#watched.get(what) ?? new Set();
    // From now on, not from the server's answer on: a change may be told before it.
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

  /** Changes may have been missed, of everything that is watched. */
  missed(): void {
    for (const what of [...this.#watched.keys()]) this.#resync(what);
  }

  /**
   * The conversation ended: nothing is sent any more, nor told; listeners stay for the next one, which tells them to read
   * again.
   */
  pause(): void {
    this.#telling.clear();
    this.#way?.end();
    this.#way = this.#conversation = undefined;
  }

  /** The end of the connection: everything is let go. */
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

  /** Who watches the list, or the resource, or one that it is inside of. */
  #concerned(change: Change): Watcher[] {
    if (change.type !== 'resource') return [...(this.#watched.get(change.type) ?? [])];
    const found: Watcher[] = [];
    for (const [what, watchers] of this.#watched) {
      if (isList(what) || !isWithin(change.uri, what)) continue;
      for (const watcher of watchers) found.push(watcher);
    }
    return found;
  }

  // Who is still being established has missed nothing.
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
    // Whatever the listeners hear later, what was kept from before is stale now.
    this.#attempt(() => this.#host.onChange(event));
    if (watchers.length > 0) this.#telling.tell({ event, listeners: watchers });
  }

  #attempt(action: () => unknown): void {
    callGuarded(action, (error) => this.#report(error));
  }

  // If that fails nobody is left to be told, and the other listeners are not to blame.
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

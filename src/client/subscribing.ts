/** Watches in stateful revisions: list changes are pushed, resource changes need `resources/subscribe`. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Notification, Params } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from '../protocol/model/capabilities.ts';
import { isList } from './watchable.ts';

export interface SubscribingConversation {
  readonly serverCapabilities: ServerCapabilities;
  request(method: string, params: Params): Promise<Record<string, unknown>>;
}

export interface SubscribingHost {
  /** Watched lists (by name) and resources (by URI). */
  readonly watched: ReadonlyMap<string, unknown>;
  /** Handles a notification. Returns true if it reports a change. */
  hear(notification: Notification): boolean;
  /** Called when changes of a watched list or resource could have been missed. */
  resync(what: string): void;
  /** Called when the server sends no changes of a watched list or resource any more. */
  lost(what: string, cause?: Error): void;
  onError(error: Error): void;
}

/** Maximum number of concurrent requests, because servers limit them. */
const MAX_AT_ONCE = 32;

/** Subscribes to the watched resources, and unsubscribes from the others. */
export class Subscribing {
  readonly #conversation: SubscribingConversation;
  readonly #host: SubscribingHost;
  readonly #subscribed = new Set<string>();
  /** The last request for each URI. The next one waits for it, because requests over HTTP can overtake each other. */
  readonly #turns = new Map<string, Promise<void>>();
  readonly #queue: (() => void)[] = [];
  #running = 0;
  #ended = false;

  constructor(conversation: SubscribingConversation, host: SubscribingHost) {
    this.#conversation = conversation;
    this.#host = host;
  }

  /** Subscribes to everything that is already watched. Reports single failures to the host; rejects if the connection ends. */
  async begin(): Promise<void> {
    await Promise.all([...this.#host.watched.keys()].map((what) => this.#watchAgain(what)));
    if (this.#ended) throw closed();
  }

  /** Subscribes to changes of a list or resource. Resolves to false if the server does not send them. */
  async watch(what: string): Promise<boolean> {
    if (!isTold(what, this.#conversation.serverCapabilities)) return false;
    if (!isList(what)) await this.#inTurn(what, () => this.#subscribe(what));
    return true;
  }

  /** Must be called after the last watch of a list or resource was removed. Never rejects. */
  async unwatch(what: string): Promise<void> {
    if (!isList(what)) await this.#inTurn(what, () => this.#unsubscribe(what));
  }

  /** Handles a notification that belongs to no call. Returns true if it reports a change. */
  take(notification: Notification): boolean {
    return this.#host.hear(notification);
  }

  /** Stops sending requests. */
  end(): void {
    this.#ended = true;
  }

  async #watchAgain(what: string): Promise<void> {
    let isTold = false;
    let failure: Error | undefined;
    try {
      isTold = await this.watch(what);
    } catch (error) {
      // If the connection is closed, the other subscriptions would fail too.
      if (error instanceof ConnectionError && error.code === 'closed') throw error;
      failure = error as Error;
    }
    if (this.#ended) return;
    if (!isTold) this.#host.lost(what, failure);
    this.#host.resync(what);
  }

  async #subscribe(uri: string): Promise<void> {
    if (this.#subscribed.has(uri)) return;
    await this.#request('resources/subscribe', uri);
    this.#subscribed.add(uri);
  }

  async #unsubscribe(uri: string): Promise<void> {
    // Checked now, because the resource can be watched again by the time of its turn.
    if (this.#host.watched.has(uri) || !this.#subscribed.delete(uri)) return;
    try {
      await this.#request('resources/unsubscribe', uri);
    } catch (error) {
      // The subscription has ended with the session, so the error does not matter.
      if (!this.#ended) this.#host.onError(error as Error);
    }
  }

  #inTurn(uri: string, action: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(uri) ?? Promise.resolve()).then(action);
    const done = turn
      .catch(() => {})
      .then(() => {
        if (this.#turns.get(uri) === done) this.#turns.delete(uri);
      });
    this.#turns.set(uri, done);
    return turn;
  }

  async #request(method: string, uri: string): Promise<void> {
    if (this.#running < MAX_AT_ONCE) this.#running++;
    else await new Promise<void>((go) => this.#queue.push(go));
    try {
      if (this.#ended) throw closed();
      await this.#conversation.request(method, { uri });
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

function isTold(what: string, capabilities: ServerCapabilities): boolean {
  if (isList(what)) return capabilities[what]?.listChanged === true;
  return capabilities.resources?.subscribe === true;
}

function closed(): ConnectionError {
  return new ConnectionError('closed', 'The connection ended before the server was subscribed to');
}

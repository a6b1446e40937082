/** Watching on stateful revisions: changes of lists are told unasked, those of a resource after `resources/subscribe`. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Notification, Params } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from '../protocol/model/capabilities.ts';
import { isList } from './watchable.ts';

/** What subscribing needs from the conversation. */
export interface SubscribingConversation {
  readonly serverCapabilities: ServerCapabilities;
  request(method: string, params: Params): Promise<Record<string, unknown>>;
}

/** What subscribing needs from its owner. */
export interface SubscribingHost {
  /** What is watched at this moment, by name or URI. */
  readonly watched: ReadonlyMap<string, unknown>;
  /** A notification; true if it tells of a change. */
  hear(notification: Notification): boolean;
  /** Changes of it may have been missed. */
  resync(what: string): void;
  /** The server does not tell of it any more. */
  lost(what: string, cause?: Error): void;
  onError(error: Error): void;
}

/** Servers bound what they work on at once. */
const MAX_AT_ONCE = 32;

/** Keeps the server's subscriptions as what is watched demands. */
export class Subscribing {
  readonly #conversation: SubscribingConversation;
  readonly #host: SubscribingHost;
  readonly #subscribed = new Set<string>();
  /** The last request about each URI: the next one waits for it, since requests may overtake each other. */
  readonly #turns = new Map<string, Promise<void>>();
  readonly #queue: (() => void)[] = [];
  #running = 0;
  #ended = false;

  constructor(conversation: SubscribingConversation, host: SubscribingHost) {
    this.#conversation = conversation;
    this.#host = host;
  }

  /** Subscribes to all that is watched already. Single failures are told to the host; rejects if the connection is gone. */
  async begin(): Promise<void> {
    await Promise.all([...this.#host.watched.keys()].map((what) => this.#watchAgain(what)));
    if (this.#ended) throw closed();
  }

  /** False if the server does not tell of it. */
  async watch(what: string): Promise<boolean> {
    if (!isTold(what, this.#conversation.serverCapabilities)) return false;
    if (!isList(what)) await this.#inTurn(what, () => this.#subscribe(what));
    return true;
  }

  /** Nobody watches it any more. Never rejects. */
  async unwatch(what: string): Promise<void> {
    if (!isList(what)) await this.#inTurn(what, () => this.#unsubscribe(what));
  }

  /** A notification that belongs to no call; true if it tells of a change. */
  take(notification: Notification): boolean {
    return this.#host.hear(notification);
  }

  /** Sends nothing any more. */
  end(): void {
    this.#ended = true;
  }

  async #watchAgain(what: string): Promise<void> {
    let isTold = false;
    let failure: Error | undefined;
    try {
      isTold = await this.watch(what);
    } catch (error) {
      // Without a connection there is no need to try the others.
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
    // By now somebody may watch it again.
    if (this.#host.watched.has(uri) || !this.#subscribed.delete(uri)) return;
    try {
      await this.#request('resources/unsubscribe', uri);
    } catch (error) {
      // With the session the subscription has ended too.
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

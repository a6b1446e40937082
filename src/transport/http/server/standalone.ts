/** The stream a session's client keeps open to be told of changes. */

import { type Notification, serialize } from '../../../jsonrpc/message.ts';
import type { StoredEvent } from '../../../store/events.ts';
import { messageEvent } from './events.ts';
import type { Beating } from './heartbeat.ts';
import type { Reader } from './reader.ts';
import { unguessable } from './unguessable.ts';

/** What it needs of its session. */
export interface StandaloneHost {
  append(event: StoredEvent): void;
  /** Tells notifications until the returned function is called. */
  watch(listener: (notification: Notification) => void): () => void;
  /** It is over. */
  onEnd(): void;
}

// A client that lost its stream may come back: for about five minutes, at the usual pace.
const BEATS_ALONE = 20;

/** Goes on without a reader for a while, so that a client that comes back has missed nothing. */
export class Standalone implements Beating {
  readonly name: string = unguessable();
  readonly #host: StandaloneHost;
  readonly #unwatch: () => void;
  #reader: Reader;
  /** It is read, but through a connection that was made later: what is said goes there by way of the store. */
  #isElsewhere = false;
  #events = 0;
  #alone = 0;

  constructor(reader: Reader, host: StandaloneHost) {
    this.#reader = reader;
    this.#host = host;
    this.#unwatch = host.watch((notification) => this.#send(notification));
  }

  /** Somebody reads it. */
  get isRead(): boolean {
    return !this.#reader.isGone;
  }

  /** Another connection takes over. */
  resumeBy(reader: Reader): void {
    this.#reader.end();
    this.#reader = reader;
    this.#isElsewhere = true;
  }

  /** Ends the stream. */
  close(): void {
    this.#reader.end();
    this.#unwatch();
    this.#host.onEnd();
  }

  beat(): void {
    if (this.isRead) this.#alone = 0;
    else if (++this.#alone > BEATS_ALONE) this.close();
    if (!this.#isElsewhere) this.#reader.beat();
  }

  #send(notification: Notification): void {
    const data = serialize(notification);
    const id = `${this.name}.${this.#events++}`;
    this.#host.append({ id, data, isLast: false });
    if (!this.#isElsewhere) this.#reader.write(messageEvent(data, id));
  }
}

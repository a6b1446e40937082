/** The stream a session's client keeps open to be told of changes. */

import { type Notification, serialize } from '../../../jsonrpc/message.ts';
import type { StoredEvent } from '../../../store/events.ts';
import { messageEvent, primingEvent } from './events.ts';
import type { Beating } from './heartbeat.ts';
import type { Reader } from './reader.ts';
import { standaloneStreamName } from './stream-names.ts';

/** What it needs of its session. */
export interface StandaloneHost {
  /** After how many milliseconds a client that lost it comes back, if the revision has a way to say so before the first message. */
  readonly retryMs: number | undefined;
  append(event: StoredEvent): void;
  /** Tells notifications until the returned function is called. */
  watch(listener: (notification: Notification) => void): () => void;
  /** It is over. */
  onEnd(): void;
}

// A client that lost its stream may come back: for about five minutes, at the usual pace of two beats to an interval.
const BEATS_ALONE = 40;

/** Goes on without a reader for a while, so that a client that comes back has missed nothing. */
export class Standalone implements Beating {
  readonly name: string = standaloneStreamName();
  readonly #host: StandaloneHost;
  readonly #reader: Reader;
  readonly #unwatch: () => void;
  #events = 0;
  #alone = 0;

  constructor(reader: Reader, host: StandaloneHost) {
    this.#reader = reader;
    this.#host = host;
    if (host.retryMs !== undefined) reader.write(primingEvent(this.#record(''), host.retryMs));
    this.#unwatch = host.watch((notification) => this.#send(notification));
  }

  /** Somebody reads it. */
  get isRead(): boolean {
    return !this.#reader.isGone;
  }

  /** Breaks the stream off and goes on: the client comes back for the rest. */
  detach(): void {
    this.#reader.end();
  }

  /** Ends the stream. */
  close(): void {
    this.#reader.end();
    this.#unwatch();
    this.#host.onEnd();
  }

  beat(): void {
    if (this.isRead) this.#reader.beat();
    else if (++this.#alone > BEATS_ALONE) this.close();
  }

  #send(notification: Notification): void {
    const data = serialize(notification);
    this.#reader.write(messageEvent(data, this.#record(data)));
  }

  #record(data: string): string {
    const id = `${this.name}.${this.#events++}`;
    this.#host.append({ id, data, isLast: false });
    return id;
  }
}

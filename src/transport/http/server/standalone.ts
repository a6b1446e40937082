/** The stream a session's client keeps open to be told of changes. */

import { type Notification, serialize } from '../../../jsonrpc/message.ts';
import type { Viewer } from '../../../protocol/revision.ts';
import type { StoredEvent } from '../../../store/events.ts';
import { messageEvent, primingEvent } from './events.ts';
import type { Beating } from './heartbeat.ts';
import type { Reader } from './reader.ts';
import { standaloneStreamName } from './stream-names.ts';

/** What such streams need of their endpoint. */
export interface StandaloneHost {
  /** Keeps an event of this session. */
  append(session: string, event: StoredEvent): void;
  /** Has the stream tell what this viewer may know, until the returned function is called. */
  watch(stream: Standalone, viewer: Viewer): () => void;
  /** It is over. */
  onEnd(stream: Standalone): void;
}

// A client that lost its stream may come back: for about five minutes, at the usual pace of two beats to an interval.
const BEATS_ALONE = 40;

/** Goes on without a reader for a while, so that a client that comes back has missed nothing. */
export class Standalone implements Beating {
  readonly name: string = standaloneStreamName();
  /** The session it belongs to. */
  readonly session: string;
  readonly #host: StandaloneHost;
  readonly #reader: Reader;
  /** Undefined before it has begun, and when it is over. */
  #unwatch: (() => void) | undefined;
  #events = 0;
  #alone = 0;

  constructor(session: string, reader: Reader, host: StandaloneHost) {
    this.session = session;
    this.#reader = reader;
    this.#host = host;
  }

  /**
   * Begins to tell. `retryMs` is after how many milliseconds a client that lost the stream comes back, if the revision has
   * a way to say so before the first message.
   */
  begin(viewer: Viewer, retryMs: number | undefined): void {
    if (retryMs !== undefined) this.#reader.write(primingEvent(this.#record(''), retryMs));
    this.#unwatch = this.#host.watch(this, viewer);
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
    if (!this.#unwatch) return;
    this.#unwatch();
    this.#unwatch = undefined;
    this.#host.onEnd(this);
  }

  beat(): void {
    if (this.isRead) this.#reader.beat();
    else if (++this.#alone > BEATS_ALONE) this.close();
  }

  /** Tells its reader something, or keeps it until there is one again. */
  tell(notification: Notification): void {
    const data = serialize(notification);
    this.#reader.write(messageEvent(data, this.#record(data)));
  }

  #record(data: string): string {
    const id = `${this.name}.${this.#events++}`;
    this.#host.append(this.session, { id, data, isLast: false });
    return id;
  }
}

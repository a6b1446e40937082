/** The stream a session's client keeps open to be told of changes. */

import { type Notification, serialize } from '../../../jsonrpc/message.ts';
import type { Session } from '../../../protocol/session.ts';
import type { StoredEvent } from '../../../store/event-store.ts';
import type { Audience } from './audience.ts';
import { messageEvent, primingEvent } from './events.ts';
import type { Beating } from './heartbeat.ts';
import type { Reader } from './reader.ts';

/** What such streams need of their endpoint. */
export interface StandaloneHost {
  /** Keeps an event of this session. */
  append(session: string, event: StoredEvent): void;
  /** It is over. */
  onEnd(stream: Standalone): void;
}

// A client that lost its stream may come back: for about five minutes, at the usual pace of two beats to an interval.
const BEATS_ALONE = 40;

/** Goes on without a reader for a while, so that a client that comes back has missed nothing. */
export class Standalone implements Beating {
  /** The id of the session it belongs to. */
  readonly id: string;
  /** The session as `initialize` opened it. */
  readonly session: Session;
  /** The client has sent `notifications/initialized`, as far as this stream knows. */
  isInitialized: boolean;
  readonly #host: StandaloneHost;
  readonly #reader: Reader;
  /** Undefined before it has begun, and when it is over. */
  #audience: Audience<Standalone> | undefined;
  /** What the ids of its events begin with. */
  readonly name: string;
  #events = 0;
  #alone = 0;

  constructor(
    name: string,
    id: string,
    { session, isInitialized }: Pick<Standalone, 'session' | 'isInitialized'>,
    reader: Reader,
    host: StandaloneHost,
  ) {
    this.name = name;
    this.id = id;
    this.session = session;
    this.isInitialized = isInitialized;
    this.#reader = reader;
    this.#host = host;
  }

  /**
   * Begins to tell. `retryMs` is after how many milliseconds a client that lost the stream comes back, if the revision has
   * a way to say so before the first message.
   */
  begin(audience: Audience<Standalone>, retryMs: number | undefined): void {
    // Not kept: whoever comes back before anything was said has missed nothing.
    if (retryMs !== undefined) this.#reader.write(primingEvent(this.#nextId(), retryMs));
    this.#audience = audience;
    audience.join(this);
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
    if (!this.#audience) return;
    this.#audience.leave(this);
    this.#audience = undefined;
    this.#host.onEnd(this);
  }

  beat(): void {
    if (this.isRead) this.#reader.beat();
    else if (++this.#alone > BEATS_ALONE) this.close();
  }

  /** Tells its reader something, or keeps it until there is one again. */
  tell(notification: Notification): void {
    const id = this.#nextId();
    const data = serialize(notification);
    this.#host.append(this.id, { id, data, isLast: false });
    this.#reader.write(messageEvent(data, id));
  }

  #nextId(): string {
    // In one piece, since it is kept.
    return [this.name, this.#events++].join('.');
  }
}

/** `Standalone`: the GET stream of a session, for change notifications. */

import { type Notification, serialize } from '../../../jsonrpc/message.ts';
import type { Session } from '../../../protocol/session.ts';
import type { StoredEvent } from '../../../store/event-store.ts';
import type { Audience } from './audience.ts';
import { messageEvent, primingEvent } from './events.ts';
import type { Beating } from './heartbeat.ts';
import type { Reader } from './reader.ts';

export interface StandaloneHost {
  append(session: string, event: StoredEvent): void;
  onEnd(stream: Standalone): void;
}

// Beats after which a stream without a connection ends: about 5 minutes, at 2 beats per default keep-alive interval of 15 s.
const BEATS_ALONE = 40;

/** GET stream of one session. After a lost connection, the stream stores events for a while, until the client reconnects. */
export class Standalone implements Beating {
  /** Session id. */
  readonly id: string;
  /** The session as `initialize` created it. */
  readonly session: Session;
  /** True if the client is known to have sent `notifications/initialized`. If false, only the store knows the current value. */
  isInitialized: boolean;
  readonly #host: StandaloneHost;
  readonly #reader: Reader;
  /** Undefined before `begin` and after `close`. */
  #audience: Audience<Standalone> | undefined;
  /** Stream id, with which the ids of its events start. */
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

  /** Starts to send changes. `retryMs`: the client's reconnection delay; undefined if the revision has no event for it. */
  begin(audience: Audience<Standalone>, retryMs: number | undefined): void {
    // Not stored: the event has no message that a reconnecting client could miss.
    if (retryMs !== undefined) this.#reader.write(primingEvent(this.#nextId(), retryMs));
    this.#audience = audience;
    audience.join(this);
  }

  /** True while a client is connected. */
  get isRead(): boolean {
    return !this.#reader.isGone;
  }

  /** Closes the connection but not the stream. Further events are stored until the client reconnects. */
  detach(): void {
    this.#reader.end();
  }

  /** Closes the connection and ends the stream. */
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

  /** Stores a notification, and sends it if a client is connected. */
  tell(notification: Notification): void {
    const id = this.#nextId();
    const data = serialize(notification);
    this.#host.append(this.id, { id, data, isLast: false });
    this.#reader.write(messageEvent(data, id));
  }

  #nextId(): string {
    // `join` creates a flat string: V8 would keep the parts of a concatenated string in memory as long as the event is stored.
    return [this.name, this.#events++].join('.');
  }
}

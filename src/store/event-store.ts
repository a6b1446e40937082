/** Stores the events of SSE streams, so that a client can resume a stream after a lost connection. */

import type { MaybePromise } from '../jsonrpc/maybe-promise.ts';
import { monotonicNow } from '../timing/monotonic-now.ts';
import { timerMs, unref } from '../timing/timer-range.ts';
import type { Lifecycle } from './lifecycle.ts';

/** One event of an SSE stream. */
export interface StoredEvent {
  /** Event id: the stream id, a dot, and a number that increases within the stream. */
  readonly id: string;
  readonly data: string;
  /** True if the stream ends with this event. */
  readonly isLast: boolean;
  /** Ids of the requests whose responses the stream contains. Set only in the first event of a POST request's stream. */
  readonly requestIds?: readonly (string | number)[] | undefined;
}

/** A stream whose events a listener receives, returned by `EventStore.follow`. */
export interface FollowedStream {
  /** Ids of the requests whose responses the stream contains. Empty for GET streams, or if the first event has been removed. */
  readonly requestIds: readonly (string | number)[];
  /** Ends the delivery of events to the listener. */
  stop(): void;
}

/** Store of SSE events, keyed by session and stream. */
export interface EventStore extends Lifecycle {
  /** Stores an event, and delivers it to all listeners that follow its stream. */
  append(session: string, event: StoredEvent): MaybePromise<void>;
  /**
   * Calls the listener with the stored events that follow the event id `after` in its stream, and then with each new event. If
   * the stream has ended and no event follows `after`, repeats the last event with empty data. Returns undefined if the stream
   * is unknown or belongs to another session.
   */
  follow(
    session: string,
    after: string,
    listener: (event: StoredEvent) => void,
  ): MaybePromise<FollowedStream | undefined>;
  /** Deletes all events of a session, for instance because the session has ended. */
  forget(session: string): MaybePromise<void>;
}

export interface EventStoreOptions {
  /** Maximum size of all events, in bytes. The oldest events are removed first. Default: 32 MiB. */
  readonly maxBytes?: number | undefined;
  /** Maximum size of the events of one session, in bytes. Its oldest events are removed first. Default: 4 MiB. */
  readonly maxSessionBytes?: number | undefined;
  /** Time after which an event is removed, in milliseconds. Default: 5 minutes. */
  readonly keepMs?: number | undefined;
}

/** Returns the stream id of an event id. */
export function streamOf(eventId: string): string {
  return eventId.slice(0, Math.max(eventId.lastIndexOf('.'), 0));
}

// Returns the number of an event id. Numbers are compared, so that a client can resume after an event that has been removed.
function numberOf(eventId: string): number {
  const number = eventId.slice(eventId.lastIndexOf('.') + 1);
  return /^\d{1,15}$/.test(number) ? Number(number) : Number.NaN;
}

/**
 * A stored event, in two linked lists: of all events (`older`, `newer`) and of the events of its session (`next`). A `Set` would
 * take longer the more events were removed: V8 steps over deleted entries at the front of its table.
 */
interface Entry extends StoredEvent {
  readonly session: SessionEvents;
  /** Time of the event, in milliseconds since the store was created: V8 stores small integers without a heap object. */
  readonly at: number;
  older: Entry | undefined;
  newer: Entry | undefined;
  /** The next event of the session. */
  next: Entry | undefined;
}

/** The events of a session. They are not indexed by stream, since most sessions have few events. */
interface SessionEvents {
  readonly id: string;
  bytes: number;
  oldest: Entry | undefined;
  newest: Entry | undefined;
  /** Listeners of followed streams, by stream id. */
  followers: Map<string, Set<(event: StoredEvent) => void>> | undefined;
}

// Estimated memory of an event besides its text, in bytes.
const EVENT_BYTES = 200;

/** Creates an event store in memory. */
export function memoryEventStore(options: EventStoreOptions = {}): EventStore {
  return new MemoryEventStore(options);
}

class MemoryEventStore implements EventStore {
  readonly #maxBytes: number;
  readonly #maxSessionBytes: number;
  readonly #keepMs: number;
  readonly #sessions = new Map<string, SessionEvents>();
  readonly #createdAt = Math.floor(monotonicNow());
  #oldest: Entry | undefined;
  #newest: Entry | undefined;
  #bytes = 0;
  /** Timer for the expiry of the oldest event. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: EventStoreOptions) {
    this.#maxBytes = options.maxBytes ?? 32 * 1024 * 1024;
    this.#maxSessionBytes = options.maxSessionBytes ?? 4 * 1024 * 1024;
    this.#keepMs = options.keepMs ?? 5 * 60_000;
  }

  append(id: string, event: StoredEvent): void {
    const session = this.#sessions.get(id) ?? this.#addSession(id);
    this.#keep(session, event);
    for (const follower of [...(session.followers?.get(streamOf(event.id)) ?? [])]) follower(event);
    this.#makeRoom(session);
  }

  follow(id: string, after: string, listener: (event: StoredEvent) => void): FollowedStream | undefined {
    const session = this.#sessions.get(id);
    const name = streamOf(after);
    const number = numberOf(after);
    if (!session || Number.isNaN(number)) return undefined;
    const events = eventsOf(session, name);
    if (events.length === 0 && !session.followers?.has(name)) return undefined;
    const missed = events.filter((event) => numberOf(event.id) > number);
    const last = events.at(-1);
    for (const event of missed) listener(event);
    // A client that has all events of an ended stream gets the last one again without data, which ends its stream.
    if (missed.length === 0 && last?.isLast) listener({ ...last, data: '' });
    return { requestIds: events[0]?.requestIds ?? [], stop: this.#addFollower(session, name, listener) };
  }

  forget(id: string): void {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    while (session?.oldest) this.#drop(session.oldest);
    if (this.#oldest) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  close(): void {
    for (const id of [...this.#sessions.keys()]) this.forget(id);
  }

  #addSession(id: string): SessionEvents {
    const session: SessionEvents = { id, bytes: 0, oldest: undefined, newest: undefined, followers: undefined };
    this.#sessions.set(id, session);
    return session;
  }

  #addFollower(session: SessionEvents, name: string, listener: (event: StoredEvent) => void): () => void {
    session.followers ??= new Map();
    const followers = session.followers.get(name) ?? new Set();
    session.followers.set(name, followers);
    const follower = (event: StoredEvent): void => listener(event);
    followers.add(follower);
    return () => {
      followers.delete(follower);
      if (followers.size === 0 && session.followers?.get(name) === followers) session.followers.delete(name);
      this.#removeIfEmpty(session);
    };
  }

  #keep(session: SessionEvents, event: StoredEvent): void {
    const { id, data, isLast, requestIds } = event;
    const at = this.#now();
    const older = this.#newest;
    const entry: Entry = { id, data, isLast, requestIds, session, at, older, newer: undefined, next: undefined };
    if (older) older.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
    if (session.newest) session.newest.next = entry;
    else session.oldest = entry;
    session.newest = entry;
    const bytes = bytesOf(event);
    this.#bytes += bytes;
    session.bytes += bytes;
  }

  #makeRoom(session: SessionEvents): void {
    while (this.#oldest && this.#bytes > this.#maxBytes) this.#drop(this.#oldest);
    while (session.oldest && session.bytes > this.#maxSessionBytes) this.#drop(session.oldest);
    this.#removeExpired();
  }

  // Removes expired events and sets the timer for the next. Called for each new event too, since in a Worker a timer may end
  // with the request that set it.
  #removeExpired(): void {
    const now = this.#now();
    while (this.#oldest && now - this.#oldest.at >= this.#keepMs) this.#drop(this.#oldest);
    if (!this.#oldest || this.#timer !== undefined) return;
    const left = this.#keepMs - (now - this.#oldest.at);
    this.#timer = unref(setTimeout(this.#onTimer, timerMs(left)));
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    this.#removeExpired();
  };

  /** Removes an event, which must be the oldest of its session: the list of a session can only be shortened at its start. */
  #drop(entry: Entry): void {
    const { session, older, newer, next } = entry;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    session.oldest = next;
    if (!next) session.newest = undefined;
    const bytes = bytesOf(entry);
    this.#bytes -= bytes;
    session.bytes -= bytes;
    this.#removeIfEmpty(session);
  }

  #now(): number {
    return Math.floor(monotonicNow()) - this.#createdAt;
  }

  #removeIfEmpty(session: SessionEvents): void {
    const isEmpty = !session.oldest && (session.followers?.size ?? 0) === 0;
    if (isEmpty && this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
  }
}

function bytesOf({ id, data, requestIds = [] }: StoredEvent): number {
  let bytes = data.length + id.length + EVENT_BYTES;
  for (const request of requestIds) bytes += String(request).length;
  return bytes;
}

function eventsOf({ oldest }: SessionEvents, stream: string): StoredEvent[] {
  const events: StoredEvent[] = [];
  for (let entry = oldest; entry; entry = entry.next) {
    const { id, data, isLast, requestIds } = entry;
    if (streamOf(id) === stream) events.push({ id, data, isLast, requestIds });
  }
  return events;
}

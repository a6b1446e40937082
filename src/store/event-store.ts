/** Where the events of streams are kept, so that a client that lost its connection can go on where it was. */

import { monotonicNow } from '../timing/monotonic-now.ts';
import { timerMs, unref } from '../timing/timer-range.ts';
import type { Lifecycle, MaybePromise } from './lifecycle.ts';

/** One event of a stream. */
export interface StoredEvent {
  /** The name of its stream, a dot, and a number that grows within the stream. */
  readonly id: string;
  readonly data: string;
  /** The stream ends with it. */
  readonly isLast: boolean;
  /** In the first event of a POST's stream: the requests whose responses the stream brings. */
  readonly requestIds?: readonly (string | number)[] | undefined;
}

/** A stream that is being followed. */
export interface FollowedStream {
  /** The requests whose responses the stream brings, if its first event is still kept. */
  readonly requestIds: readonly (string | number)[];
  /** Ends it. */
  stop(): void;
}

/** Events by session and stream. */
export interface EventStore extends Lifecycle {
  /** Keeps an event, and tells it to those who follow its stream. */
  append(session: string, event: StoredEvent): MaybePromise<void>;
  /**
   * Calls back with the events of a stream after this one, as far as they are kept, and then with each as it is appended, until
   * `stop` is called. Undefined if nothing is known of the stream, or if it belongs to another session.
   */
  follow(
    session: string,
    after: string,
    listener: (event: StoredEvent) => void,
  ): MaybePromise<FollowedStream | undefined>;
  /** Forgets everything of a session. */
  forget(session: string): MaybePromise<void>;
}

/** Bounds of an event store. */
export interface EventStoreOptions {
  /** Bytes kept in all; the oldest events go first. Default: 32 MiB. */
  readonly maxBytes?: number | undefined;
  /** Bytes kept for one session. Default: 4 MiB. */
  readonly maxSessionBytes?: number | undefined;
  /** Milliseconds an event is kept. Default: 5 minutes. */
  readonly keepMs?: number | undefined;
}

/** The stream an event belongs to. */
export function streamOf(eventId: string): string {
  return eventId.slice(0, Math.max(eventId.lastIndexOf('.'), 0));
}

// Events of a stream are counted: whoever lost more than is kept goes on behind the gap.
function numberOf(eventId: string): number {
  const number = eventId.slice(eventId.lastIndexOf('.') + 1);
  return /^\d{1,15}$/.test(number) ? Number(number) : Number.NaN;
}

/** An event that is kept, in the order of all events and in that of its session. */
interface Kept extends StoredEvent {
  readonly session: Session;
  /** Milliseconds after the store was made. */
  readonly at: number;
  older: Kept | undefined;
  newer: Kept | undefined;
  /** The next of its session. */
  next: Kept | undefined;
}

/** What is known of a session. Most have few events and nobody who follows them: streams are only found when asked for. */
interface Session {
  readonly id: string;
  bytes: number;
  oldest: Kept | undefined;
  newest: Kept | undefined;
  /** By stream. */
  followers: Map<string, Set<(event: StoredEvent) => void>> | undefined;
}

// What an event weighs beside its text.
const OVERHEAD = 200;

/** Events within this process. */
export function memoryEventStore(options: EventStoreOptions = {}): EventStore {
  return new MemoryEventStore(options);
}

class MemoryEventStore implements EventStore {
  readonly #maxBytes: number;
  readonly #maxSessionBytes: number;
  readonly #keepMs: number;
  readonly #sessions = new Map<string, Session>();
  // Small numbers weigh less.
  readonly #begun = Math.floor(monotonicNow());
  #oldest: Kept | undefined;
  #newest: Kept | undefined;
  #bytes = 0;
  /** Removes events whose time is over. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: EventStoreOptions) {
    this.#maxBytes = options.maxBytes ?? 32 * 1024 * 1024;
    this.#maxSessionBytes = options.maxSessionBytes ?? 4 * 1024 * 1024;
    this.#keepMs = options.keepMs ?? 5 * 60_000;
  }

  append(id: string, event: StoredEvent): void {
    const session = this.#session(id);
    this.#keep(session, event);
    const followers = session.followers?.get(streamOf(event.id));
    if (followers) for (const follower of [...followers]) follower(event);
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
    // Whoever has everything is told that there is no more.
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

  #session(id: string): Session {
    const found = this.#sessions.get(id);
    if (found) return found;
    const made: Session = { id, bytes: 0, oldest: undefined, newest: undefined, followers: undefined };
    this.#sessions.set(id, made);
    return made;
  }

  #addFollower(session: Session, name: string, listener: (event: StoredEvent) => void): () => void {
    session.followers ??= new Map();
    const followers = session.followers.get(name) ?? new Set();
    session.followers.set(name, followers);
    const follower = (event: StoredEvent): void => listener(event);
    followers.add(follower);
    return () => {
      followers.delete(follower);
      if (followers.size === 0 && session.followers?.get(name) === followers) session.followers.delete(name);
      this.#forgetEmpty(session);
    };
  }

  #keep(session: Session, event: StoredEvent): void {
    const { id, data, isLast, requestIds } = event;
    const at = this.#now();
    const kept: Kept = {
      id,
      data,
      isLast,
      requestIds,
      session,
      at,
      older: this.#newest,
      newer: undefined,
      next: undefined,
    };
    if (this.#newest) this.#newest.newer = kept;
    else this.#oldest = kept;
    this.#newest = kept;
    if (session.newest) session.newest.next = kept;
    else session.oldest = kept;
    session.newest = kept;
    const weight = weightOf(event);
    this.#bytes += weight;
    session.bytes += weight;
  }

  #makeRoom(session: Session): void {
    while (this.#oldest && this.#bytes > this.#maxBytes) this.#drop(this.#oldest);
    while (session.oldest && session.bytes > this.#maxSessionBytes) this.#drop(session.oldest);
    this.#removeExpired();
  }

  // A timer may be late, or may have ended with the request that set it (in a Worker): each new event looks, too.
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

  /** Lets go of the oldest event of a session, which the oldest of all is, too. */
  #drop(kept: Kept): void {
    const { session, older, newer, next } = kept;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    session.oldest = next;
    if (!next) session.newest = undefined;
    const weight = weightOf(kept);
    this.#bytes -= weight;
    session.bytes -= weight;
    this.#forgetEmpty(session);
  }

  #now(): number {
    return Math.floor(monotonicNow()) - this.#begun;
  }

  #forgetEmpty(session: Session): void {
    const isEmpty = !session.oldest && (session.followers?.size ?? 0) === 0;
    if (isEmpty && this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
  }
}

function weightOf({ id, data, requestIds = [] }: StoredEvent): number {
  let weight = data.length + id.length + OVERHEAD;
  for (const request of requestIds) weight += String(request).length;
  return weight;
}

function eventsOf({ oldest }: Session, stream: string): StoredEvent[] {
  const events: StoredEvent[] = [];
  for (let kept = oldest; kept; kept = kept.next) {
    const { id, data, isLast, requestIds } = kept;
    if (streamOf(id) === stream) events.push({ id, data, isLast, requestIds });
  }
  return events;
}

/** Where the events of streams are kept, so that a client that lost its connection can go on where it was. */

/** One event of a stream. */
export interface StoredEvent {
  /** The name of its stream, a dot, and a number that grows within the stream. */
  readonly id: string;
  readonly data: string;
  /** The stream ends with it. */
  readonly isLast: boolean;
}

/** Events by session and stream. */
export interface EventStore {
  /** Keeps an event, and tells it to those who follow its stream. */
  append(session: string, event: StoredEvent): void | Promise<void>;
  /**
   * Tells the events of a stream that came after this one, and then each as it comes, until the returned function is
   * called; of those that came before it was asked, only the ones that are still kept. Undefined if nothing is known
   * of the stream, or if it belongs to another session.
   */
  follow(
    session: string,
    after: string,
    listener: (event: StoredEvent) => void,
  ): (() => void) | undefined | Promise<(() => void) | undefined>;
  /** Forgets everything of a session. */
  forget(session: string): void | Promise<void>;
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

interface Stream {
  readonly name: string;
  readonly events: StoredEvent[];
  readonly followers: Set<(event: StoredEvent) => void>;
}

interface Streams {
  readonly byName: Map<string, Stream>;
  /** Oldest first. */
  readonly kept: Set<Kept>;
  bytes: number;
}

interface Kept {
  readonly session: string;
  readonly streams: Streams;
  readonly stream: Stream;
  readonly bytes: number;
  readonly at: number;
}

// What an event weighs beside its text.
const OVERHEAD = 200;

/** Events within this process. */
export function memoryEventStore({
  maxBytes = 32 * 1024 * 1024,
  maxSessionBytes = 4 * 1024 * 1024,
  keepMs = 5 * 60_000,
}: EventStoreOptions = {}): EventStore {
  const sessions = new Map<string, Streams>();
  // Oldest first, whichever session they belong to.
  const kept = new Set<Kept>();
  let bytes = 0;

  const forgetEmpty = (session: string, streams: Streams, stream: Stream): void => {
    if (stream.events.length > 0 || stream.followers.size > 0) return;
    if (streams.byName.get(stream.name) === stream) streams.byName.delete(stream.name);
    if (streams.byName.size === 0 && sessions.get(session) === streams) sessions.delete(session);
  };
  const drop = (oldest: Kept): void => {
    const { session, streams, stream } = oldest;
    kept.delete(oldest);
    streams.kept.delete(oldest);
    bytes -= oldest.bytes;
    streams.bytes -= oldest.bytes;
    stream.events.shift();
    forgetEmpty(session, streams, stream);
  };
  const makeRoom = (streams: Streams): void => {
    const now = Date.now();
    for (const oldest of kept) {
      if (bytes <= maxBytes && now - oldest.at < keepMs) break;
      drop(oldest);
    }
    for (const oldest of streams.kept) {
      if (streams.bytes <= maxSessionBytes) return;
      drop(oldest);
    }
  };
  const streamsOf = (session: string): Streams => {
    const found = sessions.get(session);
    if (found) return found;
    const made: Streams = { byName: new Map(), kept: new Set(), bytes: 0 };
    sessions.set(session, made);
    return made;
  };

  return {
    append(session, event) {
      const streams = streamsOf(session);
      const name = streamOf(event.id);
      const stream = streams.byName.get(name) ?? { name, events: [], followers: new Set() };
      streams.byName.set(name, stream);
      const weight = event.data.length + event.id.length + OVERHEAD;
      stream.events.push(event);
      const entry: Kept = { session, streams, stream, bytes: weight, at: Date.now() };
      kept.add(entry);
      streams.kept.add(entry);
      bytes += weight;
      streams.bytes += weight;
      for (const follower of [...stream.followers]) follower(event);
      makeRoom(streams);
    },
    follow(session, after, listener) {
      const streams = sessions.get(session);
      const stream = streams?.byName.get(streamOf(after));
      const number = numberOf(after);
      if (!streams || !stream || Number.isNaN(number)) return undefined;
      const missed = stream.events.filter(({ id }) => numberOf(id) > number);
      const last = stream.events.at(-1);
      for (const event of missed) listener(event);
      // Whoever has everything is told that there is no more.
      if (missed.length === 0 && last?.isLast) listener({ ...last, data: '' });
      const follower = (event: StoredEvent): void => listener(event);
      stream.followers.add(follower);
      return () => {
        stream.followers.delete(follower);
        forgetEmpty(session, streams, stream);
      };
    },
    forget(session) {
      const streams = sessions.get(session);
      sessions.delete(session);
      for (const one of streams?.kept ?? []) kept.delete(one);
      bytes -= streams?.bytes ?? 0;
    },
  };
}

/** `SessionStreams`: opens the GET streams of sessions, and resumes SSE streams. */

import { errorResponse, RpcError } from '../../../jsonrpc/errors.ts';
import { finallyMaybe, ignoreRejection, type MaybePromise, thenMaybe } from '../../../jsonrpc/maybe-promise.ts';
import { type Id, isResponse, type Message, serialize } from '../../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../../protocol/model/capabilities.ts';
import type { ServerEvent } from '../../../protocol/model/changes.ts';
import type { Observer } from '../../../protocol/revision.ts';
import { revisionNamed } from '../../../protocol/revision-of-message.ts';
import { featuresOf } from '../../../protocol/revisions.ts';
import type { Session } from '../../../protocol/session.ts';
import type { ServerInternals } from '../../../server/internals.ts';
import { type EventStore, type StoredEvent, streamOf } from '../../../store/event-store.ts';
import type { SessionBus } from '../../../store/session-bus.ts';
import type { SessionStore, StoredSession, StreamCondition } from '../../../store/session-store.ts';
import { Audience } from './audience.ts';
import { EVENT_STREAM, keepAlivePromise, messageEvent, primingEvent } from './events.ts';
import { whenExpired } from './expiry.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Introductions } from './introductions.ts';
import type { LiveSession } from './live-session.ts';
import type { Load } from './load.ts';
import type { SessionMessage, SessionRecord, Settings } from './options.ts';
import { Reader } from './reader.ts';
import { closing, Refusal } from './refusal.ts';
import { sessionOf } from './session-patches.ts';
import { Standalone, type StandaloneHost } from './standalone.ts';
import { fromStore } from './store-failure.ts';
import { isPostStream, nodeOf, standaloneStreamName } from './stream-names.ts';
import { openStream, type Visit } from './visit.ts';

export type Stored = StoredSession<SessionRecord>;

export interface SessionStreamsHost {
  readonly server: ServerInternals;
  readonly settings: Settings;
  readonly heartbeat: Heartbeat;
  readonly load: Load;
  readonly node: string;
  readonly store: SessionStore<SessionRecord>;
  readonly events: EventStore;
  readonly bus: SessionBus<SessionMessage>;
  readonly introductions: Introductions;
  /** Returns the state of a session on this node, and creates it if there is none. */
  liveSession(id: string): LiveSession;
  findLive(id: string): LiveSession | undefined;
  /** Stores an event of a session. Failures are reported. */
  append(id: string, event: StoredEvent): void;
  report(error: unknown): void;
}

export class SessionStreams {
  readonly #host: SessionStreamsHost;
  readonly #audiences = new WeakMap<ClientCapabilities, Audience<Standalone>>();

  constructor(host: SessionStreamsHost) {
    this.#host = host;
  }

  /** Opens the GET stream of a session, or resumes the stream of `Last-Event-ID`. Throws a `Refusal` if that fails. */
  open(visit: Visit, id: string, stored: Stored): MaybePromise<void> {
    if (!visit.accept.events) throw new Refusal(406, 'The answer is an event stream: accept text/event-stream');
    const refusal = this.#host.load.streamRefusalOf(visit);
    if (refusal) throw refusal;
    const last = visit.http.header('last-event-id');
    if (!last) return this.#listen(visit, id, stored, [], { force: false });
    return isPostStream(streamOf(last))
      ? this.#resume(visit, id, stored, last)
      : this.#listenAgain(visit, id, stored, last);
  }

  /** Handles a ping of another node: marks the GET stream as unread in the store if no client reads it on this node. */
  ping(id: string, stream: string | undefined): void {
    if (stream !== undefined && !this.#isRead(id, stream)) this.#markUnread(id, stream);
  }

  // Replaces a GET stream that the client lost. The event id in `Last-Event-ID` proves that the client read the stream, even if
  // none of its events is stored. Events that are no longer stored are not sent again.
  #listenAgain(visit: Visit, id: string, stored: Stored, last: string): MaybePromise<void> {
    const missed: StoredEvent[] = [];
    const from = streamOf(last);
    return thenMaybe(
      fromStore(() => this.#host.events.follow(id, last, (event) => void missed.push(event))),
      (followed) =>
        finallyMaybe(
          () => this.#listen(visit, id, stored, missed, { force: followed !== undefined, from }),
          // Follows the old stream until the new one has started, because changes before that are events of the old stream.
          () => followed?.stop(),
        ),
    );
  }

  // Opens a GET stream. Without authentication, a GET replaces a stream that is still read only if `Last-Event-ID` names it.
  #listen(
    visit: Visit,
    id: string,
    stored: Stored,
    missed: readonly StoredEvent[],
    condition: StreamCondition,
  ): MaybePromise<void> {
    const live = this.#host.liveSession(id);
    const name = standaloneStreamName(this.#host.node);
    live.enter();
    live.beginOpening(name);
    return finallyMaybe(
      () => this.#take(visit, id, stored, missed, name, condition),
      () => {
        live.endOpening(name);
        live.exit();
      },
    );
  }

  #take(
    visit: Visit,
    id: string,
    stored: Stored,
    missed: readonly StoredEvent[],
    name: string,
    { force, from }: StreamCondition,
  ): MaybePromise<void> {
    const condition = { force: force || visit.principal !== undefined, from };
    return thenMaybe(
      fromStore(() => this.#host.store.takeStream(id, name, condition)),
      ({ isTaken, previous }) => {
        if (isTaken) return this.#standBy(visit, id, stored, missed, name, previous);
        if (previous === undefined) throw new Refusal(404, 'The session has ended: send "initialize" to open another');
        return thenMaybe(this.#isUnread(id, previous), (isUnread) => {
          if (!isUnread || previous === from) throw alreadyOpen();
          return this.#listen(visit, id, stored, missed, { force: false, from: previous });
        });
      },
    );
  }

  // True if no client reads a GET stream that the store lists as read: its node is gone, or the disconnect was not stored.
  #isUnread(id: string, stream: string): MaybePromise<boolean> {
    return nodeOf(stream) === this.#host.node ? !this.#isRead(id, stream) : this.#isGone(id, stream, stream);
  }

  #isRead(id: string, stream: string): boolean {
    return this.#host.findLive(id)?.isReading(stream) === true;
  }

  // Pings the node that writes `stream`; true if the node is gone. The node also checks whether a client reads `read`.
  #isGone(id: string, stream: string, read?: string): MaybePromise<boolean> {
    const writer = nodeOf(stream);
    if (writer === undefined || writer === this.#host.node) return false;
    return thenMaybe(
      fromStore(() => this.#host.bus.send(writer, id, { type: 'ping', stream: read })),
      (isTaken) => !isTaken,
    );
  }

  #standBy(
    visit: Visit,
    id: string,
    stored: Stored,
    missed: readonly StoredEvent[],
    name: string,
    previous: string | undefined,
  ): void {
    const { heartbeat, introductions, load, settings } = this.#host;
    const live = this.#host.liveSession(id);
    const isWanted = live.endOpening(name);
    if (!isWanted || load.isClosing) {
      this.#markUnread(id, name);
      throw load.isClosing ? closing() : alreadyOpen();
    }
    // `stay` precedes `close`: if nothing else is open, the end of the previous stream would discard the session's state.
    live.stay();
    live.standalone?.close();
    this.#supersede(live, previous);
    const reader = this.#openReader(visit);
    for (const event of missed) write(reader, event, true);
    // `#audiences` is keyed by object, but external stores return copies, so equal capabilities are replaced by one object.
    const { record, initialized: isInitialized } = stored;
    const session = introductions.shared(record.session) ?? record.session;
    const standalone = new Standalone(name, id, { session, isInitialized }, reader, this.#standaloneHost);
    const { principal } = visit;
    const audience = this.#audienceOf({ principal, capabilities: session.capabilities, trusted: false });
    standalone.begin(audience, hasPrimedStreams(session) ? settings.retryMs : undefined);
    if (principal) visit.http.onClose(whenExpired(principal, () => standalone.detach()));
    visit.http.onClose(this.#markUnread.bind(this, id, name));
    live.standalone = standalone;
    heartbeat.join(standalone);
  }

  #markUnread(id: string, name: string): void {
    this.#unwatched(() => this.#host.store.update(id, { unread: name }));
  }

  // Closes the previous GET stream of the session, because the client would get each change twice.
  #supersede(live: LiveSession, stream: string | undefined): void {
    const { bus, node } = this.#host;
    const writer = nodeOf(stream);
    if (stream === undefined || writer === undefined) return;
    if (writer === node) live.endReader(stream);
    else this.#unwatched(() => thenMaybe(bus.send(writer, live.id, { type: 'resumed', stream, by: node }), () => {}));
  }

  readonly #standaloneHost: StandaloneHost = {
    append: (id, event) => this.#host.append(id, event),
    onEnd: (stream) => {
      this.#host.heartbeat.leave(stream);
      const live = this.#host.findLive(stream.id);
      if (live?.standalone === stream) live.standalone = undefined;
      live?.exit();
    },
  };

  async #resume(visit: Visit, id: string, stored: Stored, last: string): Promise<void> {
    const { events, bus, heartbeat, load, node, settings } = this.#host;
    const stream = streamOf(last);
    const live = this.#host.liveSession(id);
    const release = live.hold();
    const missed: StoredEvent[] = [];
    let take = (event: StoredEvent): void => void missed.push(event);
    let stop: (() => void) | undefined;
    try {
      const followed = await fromStore(() => events.follow(id, last, (event) => take(event)));
      if (!followed) throw unknownStream();
      stop = followed.stop.bind(followed);
      live.endReader(stream);
      await fromStore(() => bus.broadcast(id, { type: 'resumed', stream, by: node }));
      const isGone = await this.#isGone(id, stream);
      if (isGone && !missed.some(({ isLast }) => isLast)) {
        // The request ids are no longer stored, so the open requests cannot get an error.
        if (followed.requestIds.length === 0) throw unknownStream();
        await fromStore(() => this.#endUnwritten(id, last, followed.requestIds, missed));
      }
      if (load.isClosing) throw closing();
    } catch (error) {
      stop?.();
      release();
      throw error;
    }
    const reader = this.#openReader(visit);
    // The TypeScript SDK v1 client uses only event ids of this stream. If this stream ended before an event, it would reconnect
    // without `Last-Event-ID` and miss its response. A client that has all events gets no id, because it must not reconnect.
    if (hasPrimedStreams(stored.record.session) && !isAllSent(missed)) {
      reader.write(primingEvent(last, settings.retryMs));
    }
    const removed = live.addResumed(stream, () => reader.end());
    heartbeat.join(reader);
    visit.http.onClose(() => {
      heartbeat.leave(reader);
      removed();
      stop();
      release();
    });
    take = (event) => write(reader, event, event.isLast);
    // Missed events are sent regardless of unread bytes, because the event store limits their size.
    for (const event of missed.splice(0)) write(reader, event, true);
  }

  // Stores an error response for each open request, because the node that processed the requests is gone.
  #endUnwritten(
    id: string,
    last: string,
    requestIds: readonly Id[],
    missed: readonly StoredEvent[],
  ): MaybePromise<void> {
    const answered = new Set(missed.map(({ data }) => answeredBy(data)));
    const error = RpcError.internal('The server that processed this request is gone');
    const responses = requestIds
      .filter((request) => !answered.has(request))
      .map((request) => serialize(errorResponse(error, request)));
    const from = numberIn(missed.at(-1)?.id ?? last) + 1;
    const added = responses.length === 0 ? [''] : responses;
    const append = (index: number): MaybePromise<void> => {
      const data = added[index];
      if (data === undefined) return undefined;
      const event = { id: `${streamOf(last)}.${from + index}`, data, isLast: index === added.length - 1 };
      return thenMaybe(this.#host.events.append(id, event), () => append(index + 1));
    };
    return append(0);
  }

  #openReader(visit: Visit): Reader {
    this.#host.load.openStandalone(visit);
    const reader = new Reader(openStream(visit, EVENT_STREAM), visit);
    reader.write(keepAlivePromise(this.#host.settings.keepAliveMs));
    return reader;
  }

  // Anonymous clients with the same capabilities share one subscription to changes.
  #audienceOf(observer: Observer): Audience<Standalone> {
    const { principal, capabilities } = observer;
    const known = principal ? undefined : this.#audiences.get(capabilities);
    if (known) return known;
    const audience: Audience<Standalone> = new Audience(
      (listener) =>
        this.#host.server.serverInfo.watch(listener, observer, (canSee) => this.#resync(audience.streams, canSee)),
      (stream, change) => this.#unwatched(() => this.#notify(stream, change)),
    );
    if (!principal) this.#audiences.set(capabilities, audience);
    return audience;
  }

  // Called when changes could have been lost. Notifies each stream of the resources that its own client has subscribed to.
  #resync(streams: Iterable<Standalone>, canSee: (uri: string) => boolean): readonly string[] {
    for (const stream of [...streams]) {
      this.#unwatched(() =>
        thenMaybe(this.#host.store.subscriptions(stream.id), (uris) => this.#notifyOf(stream, uris.filter(canSee))),
      );
    }
    return [];
  }

  #notifyOf(stream: Standalone, uris: readonly string[]): MaybePromise<void> {
    if (uris.length === 0) return undefined;
    return thenMaybe(this.#sessionOf(stream), (session) => {
      if (!session) return;
      for (const uri of uris) deliver(stream, { type: 'resource', uri }, { ...session, subscriptions: [uri] });
    });
  }

  // Reads only the session state that the change needs. Another node can have set the log level or the subscriptions.
  #notify(stream: Standalone, change: ServerEvent): MaybePromise<void> {
    const session = change.type === 'log' ? this.#readSession(stream) : this.#sessionOf(stream);
    return thenMaybe(session, (found) => found && this.#deliver(stream, change, found));
  }

  #sessionOf(stream: Standalone): MaybePromise<Session | undefined> {
    return stream.isInitialized ? { ...stream.session, initialized: true } : this.#readSession(stream);
  }

  #readSession(stream: Standalone): MaybePromise<Session | undefined> {
    return thenMaybe(this.#host.store.get(stream.id), (stored) => {
      if (stored?.initialized) stream.isInitialized = true;
      return stored && sessionOf(stored);
    });
  }

  #deliver(stream: Standalone, change: ServerEvent, session: Session): MaybePromise<void> {
    if (change.type !== 'resource') return deliver(stream, change, session);
    const read = this.#host.store.subscriptions(stream.id);
    return thenMaybe(read, (subscriptions) => deliver(stream, change, { ...session, subscriptions }));
  }

  // Reports failures of the stores, which must not end requests or streams.
  #unwatched(action: () => MaybePromise<void>): void {
    ignoreRejection(action, this.#host.report);
  }
}

/** True if SSE streams of the session start with an event without data (2025-11-25). */
export function hasPrimedStreams({ version }: Session): boolean {
  return featuresOf(version).streamStartsWithEmptyEvent;
}

function alreadyOpen(): Refusal {
  return new Refusal(409, 'This session has a stream open already');
}

function unknownStream(): Refusal {
  return new Refusal(400, 'This stream cannot be gone on with: it is over, and its events are not kept');
}

function deliver(stream: Standalone, change: ServerEvent, session: Session): void {
  const notification = revisionNamed(session.version).notificationOf(change, session);
  if (notification) stream.tell(notification);
}

function isAllSent(missed: readonly StoredEvent[]): boolean {
  return missed.some(({ isLast }) => isLast) && missed.every(({ data }) => data === '');
}

function write(reader: Reader, { id, data, isLast }: StoredEvent, isNeeded: boolean): void {
  if (data !== '') reader.write(messageEvent(data, id), isNeeded);
  if (isLast) reader.end();
}

function answeredBy(data: string): Id | null | undefined {
  const message = data === '' ? undefined : (JSON.parse(data) as Message);
  return message && isResponse(message) ? message.id : undefined;
}

function numberIn(eventId: string): number {
  return Number(eventId.slice(eventId.lastIndexOf('.') + 1));
}

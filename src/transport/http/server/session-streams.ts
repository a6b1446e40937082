/** The event streams of sessions: the GET stream for changes, and streams of POSTs that are resumed. */

import { errorResponse, RpcError } from '../../../jsonrpc/errors.ts';
import { finallyMaybe, ignoreRejection, type MaybePromise, thenMaybe } from '../../../jsonrpc/maybe-promise.ts';
import { type Id, isResponse, type Message, serialize } from '../../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../../protocol/model/capabilities.ts';
import type { ServerEvent } from '../../../protocol/model/changes.ts';
import type { Observer } from '../../../protocol/revision.ts';
import { featuresOf } from '../../../protocol/revisions.ts';
import { revisionNamed } from '../../../protocol/select-revision.ts';
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

/** A session as it was read for one request. */
export type Stored = StoredSession<SessionRecord>;

/** The members of the endpoint that session streams use. */
export interface SessionStreamsHost {
  readonly server: ServerInternals;
  readonly settings: Settings;
  readonly heartbeat: Heartbeat;
  readonly load: Load;
  /** The id of this node. */
  readonly node: string;
  readonly store: SessionStore<SessionRecord>;
  readonly events: EventStore;
  readonly bus: SessionBus<SessionMessage>;
  readonly introductions: Introductions;
  /** What goes on in a session on this node; with `find` only if something does. */
  liveSession(id: string): LiveSession;
  findLive(id: string): LiveSession | undefined;
  /** Keeps an event of a session. */
  append(id: string, event: StoredEvent): void;
  report(error: unknown): void;
}

/** Opens and resumes streams. */
export class SessionStreams {
  readonly #host: SessionStreamsHost;
  readonly #audiences = new WeakMap<ClientCapabilities, Audience<Standalone>>();

  constructor(host: SessionStreamsHost) {
    this.#host = host;
  }

  /** Opens the stream on which a session is told of changes, or resumes a stream that was lost. */
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

  /** Another node asks whether a client reads a GET stream here: the store may have missed that nobody does any more. */
  ping(id: string, stream: string | undefined): void {
    if (stream !== undefined && !this.#isRead(id, stream)) this.#markUnread(id, stream);
  }

  // A client that knows an event of a stream is its reader, also if nothing is kept of the stream. Events that are not kept any
  // more cannot be sent again.
  #listenAgain(visit: Visit, id: string, stored: Stored, last: string): MaybePromise<void> {
    const missed: StoredEvent[] = [];
    const from = streamOf(last);
    return thenMaybe(
      fromStore(() => this.#host.events.follow(id, last, (event) => void missed.push(event))),
      (followed) =>
        finallyMaybe(
          () => this.#listen(visit, id, stored, missed, { force: followed !== undefined, from }),
          // Not before the new stream has begun: changes that happen until then are events of the old one.
          () => followed?.stop(),
        ),
    );
  }

  // Without authentication nobody can take over a stream that a client reads, unless by its name.
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

  // True if nobody reads a GET stream that the store has as read: its node is gone, or the store missed that the client is.
  #isUnread(id: string, stream: string): MaybePromise<boolean> {
    return nodeOf(stream) === this.#host.node ? !this.#isRead(id, stream) : this.#isGone(id, stream, stream);
  }

  #isRead(id: string, stream: string): boolean {
    return this.#host.findLive(id)?.isReading(stream) === true;
  }

  // True if the node that writes a stream has ended without closing it. It is asked about `read`, if that is given.
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
    // Before the other one is closed: it may be all that goes on here.
    live.stay();
    live.standalone?.close();
    this.#supersede(live, previous);
    const reader = this.#openReader(visit);
    for (const event of missed) write(reader, event, true);
    // Records of a shared store are copies: equal capabilities have to be the same object for their streams to share a watcher.
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

  // The client has one stream for changes, and would get each change twice.
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
        // Nothing says which requests are open.
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
    // The official client v1 remembers ids of this stream only: if the stream is lost before its next event, it would come back
    // without Last-Event-ID and never get its response. A client that has everything must not come back.
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
    // The events that are kept are bounded: all that were missed can be sent at once.
    for (const event of missed.splice(0)) write(reader, event, true);
  }

  // The node that wrote the stream is gone: its requests get an error in place of their responses.
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

  // Clients without a principal see the same if their capabilities are the same.
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

  // The streams of an audience belong to different clients: each is notified of the URIs that its own client subscribed to.
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

  // Only what a change depends on is read from the store: log level and subscriptions may have been set on another node.
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

  // A store that fails must not end what goes on.
  #unwatched(action: () => MaybePromise<void>): void {
    ignoreRejection(action, this.#host.report);
  }
}

/** True if the streams of a session begin with an event without a message. */
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

/** Clients of revisions with sessions: opening one, speaking in it, listening, coming back, ending it. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import type { Id, Request } from '../../../jsonrpc/message.ts';
import type { Payload } from '../../../jsonrpc/parse.ts';
import { ShortLived } from '../../../jsonrpc/places.ts';
import { retainedSize } from '../../../jsonrpc/retained-size.ts';
import { unsupportedVersion } from '../../../protocol/errors.ts';
import type { ClientCapabilities } from '../../../protocol/model/capabilities.ts';
import type { ServerEvent } from '../../../protocol/model/changes.ts';
import { principalKey } from '../../../protocol/principal.ts';
import type { Observer } from '../../../protocol/revision.ts';
import { factsOf } from '../../../protocol/revisions.ts';
import { isServed, revisionNamed } from '../../../protocol/select-revision.ts';
import type { Session } from '../../../protocol/session.ts';
import type { ServerInternals } from '../../../server/internals.ts';
import { KEEPS_TOO_MUCH, type Usage } from '../../../server/limits/usage.ts';
import { chain, finallyDo, type Maybe, unwatched } from '../../../server/maybe.ts';
import { type StoredEvent, streamOf } from '../../../store/events.ts';
import { memorySessionStore } from '../../../store/memory-sessions.ts';
import type { SessionStore } from '../../../store/sessions.ts';
import { Audience } from './audience.ts';
import { EVENT_STREAM, keepAlivePromise, messageEvent, primingEvent } from './events.ts';
import { whenExpired } from './expiry.ts';
import type { Handshakes } from './handshakes.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Fields } from './http-exchange.ts';
import { Introductions, MAX_INTRODUCTION } from './introductions.ts';
import { LiveSession, type LiveSessionHost } from './live-session.ts';
import type { Load } from './load.ts';
import { countable, type Letter, type SessionStores, type Settings, type StoredSession } from './options.ts';
import { Post, type PostHost } from './post.ts';
import { Reader } from './reader.ts';
import { PostRecording, type RecordingHost } from './recording.ts';
import { busy, Refusal } from './refusal.ts';
import { type CallsHost, type Place, SessionCalls } from './session-calls.ts';
import { idOf, isHandshake } from './sessionless.ts';
import { Standalone, type StandaloneHost } from './standalone.ts';
import { isPostStream } from './stream-names.ts';
import { unguessable } from './unguessable.ts';
import { openStream, reply, type Visit } from './visit.ts';

/** What it needs of its endpoint. */
export interface StatefulHost extends PostHost {
  readonly settings: Settings;
  readonly handshakes: Handshakes;
  readonly load: Load;
  report(error: unknown): void;
}

// A session whose client says of itself what others say too, as it is kept in memory.
const SESSION_BYTES = 1024;

/** A session that is kept, and what goes on in it. */
interface KeptPlace extends Place {
  readonly stored: StoredSession;
}

/** Serves them, for as long as the store remembers their sessions. */
export class Stateful {
  readonly #server: ServerInternals;
  readonly #host: StatefulHost;
  readonly #stores: SessionStores;
  readonly #store: SessionStore<StoredSession>;
  readonly #usage: Usage;
  readonly #calls: CallsHost<KeptPlace>;
  readonly #recordings: RecordingHost;
  readonly #introductions = new Introductions();
  readonly #live = new ShortLived<string, LiveSession>();
  readonly #audiences = new WeakMap<ClientCapabilities, Audience<Standalone>>();
  /** Often enough that no session expires in which something goes on. */
  readonly #touches: Heartbeat;

  constructor(server: ServerInternals, host: StatefulHost, stores: SessionStores) {
    this.#server = server;
    this.#host = host;
    this.#stores = stores;
    this.#usage = server.usage;
    this.#store = stores.store ?? this.#memoryStore(stores);
    this.#touches = host.heartbeat.every(countable(Math.min(host.settings.keepAliveMs, stores.idleMs / 3)));
    this.#recordings = {
      retryMs: host.settings.retryMs,
      append: (id, event) => this.#append(id, event),
      grow: (id, bytes) => stores.store !== undefined || this.#grow(id, bytes),
    };
    this.#calls = {
      ...host,
      server,
      makePost: (visit, place) => this.#makePost(visit, place),
      send: ({ live }, letter) => stores.mailboxes.send(live.id, letter),
      save: ({ live, stored }) => this.#store.save(live.id, stored),
    };
  }

  /** The sessions in which something goes on. */
  get live(): Iterable<LiveSession> {
    return this.#live.values();
  }

  /** Takes what a POST brought. */
  post(visit: Visit, payload: Payload): Maybe<void> {
    if (isHandshake(payload)) {
      return this.#host.handshakes.take(visit, payload, (session) => this.#keep(visit, payload, session));
    }
    return this.#inSession(visit, (id, stored) => this.#take(visit, payload, id, stored), idOf(payload));
  }

  /** Opens the stream on which a session is told of changes, or goes on with one that was lost. */
  get(visit: Visit): Maybe<void> {
    return this.#inSession(visit, (id, stored) => {
      if (!visit.accept.events) throw new Refusal(406, 'The answer is an event stream: accept text/event-stream');
      const refusal = this.#host.load.streamRefusalOf(visit);
      if (refusal) throw refusal;
      const last = visit.http.header('last-event-id');
      if (!last) return this.#listen(visit, id, stored);
      return isPostStream(streamOf(last))
        ? this.#resume(visit, id, stored, last)
        : this.#listenAgain(visit, id, stored, last);
    });
  }

  /** Ends a session. */
  delete(visit: Visit): Maybe<void> {
    return this.#inSession(visit, async (id) => {
      await this.#store.delete(id);
      await this.#stores.mailboxes.send(id, { type: 'ended' });
      await this.#stores.events.forget(id);
      reply(visit, 204, {});
    });
  }

  #keep(visit: Visit, request: Request, opened: Session): Maybe<Fields> {
    const session = this.#introductions.shared(opened);
    if (!session) {
      const message = `initialize: "clientInfo" and "capabilities" may have ${MAX_INTRODUCTION} characters`;
      throw new Refusal(400, RpcError.invalidParams(message), request.id);
    }
    const id = unguessable();
    const { caller, principal } = visit;
    const bytes = SESSION_BYTES + (session.clientInfo === opened.clientInfo ? retainedSize(session) : 0);
    if (!this.#usage.kept.hasRoom(visit, bytes)) throw busy(KEEPS_TOO_MUCH);
    const stored: StoredSession = { session, principal: principalKey(principal), caller, bytes };
    return chain(this.#store.create(id, stored), (hasRoom) => {
      if (!hasRoom) throw busy('Too many sessions are open');
      if (!this.#stores.store) this.#usage.kept.take(caller, bytes);
      return { 'mcp-session-id': id };
    });
  }

  #memoryStore({ idleMs, max }: SessionStores): SessionStore<StoredSession> {
    return memorySessionStore<StoredSession>({
      idleMs,
      max,
      ownerOf: ({ caller }) => caller,
      isInUse: (id) => this.#live.get(id) !== undefined,
      onRemove: ({ caller, bytes }, id) => {
        this.#usage.kept.release(caller, bytes);
        this.#unwatched(() => this.#stores.events.forget(id));
      },
    });
  }

  // Sessions in a store of the user's own take no memory here.
  #grow(id: string, bytes: number): boolean {
    const stored = this.#store.get(id) as StoredSession | undefined;
    if (!stored || !this.#usage.kept.hasRoom(stored, Math.max(0, bytes))) return false;
    if (bytes > 0) this.#usage.kept.take(stored.caller, bytes);
    else this.#usage.kept.release(stored.caller, -bytes);
    stored.bytes += bytes;
    return true;
  }

  #take(visit: Visit, payload: Payload, id: string, stored: StoredSession): Maybe<void> {
    const live = this.#liveSession(id);
    const calls = new SessionCalls(this.#calls, { session: stored.session, stored, live });
    live.enter();
    return finallyDo(
      () => calls.take(visit, payload),
      () => live.exit(),
    );
  }

  // A session is there only for whom it was opened; to others it does not exist.
  #inSession(visit: Visit, action: (id: string, stored: StoredSession) => Maybe<void>, requestId?: Id): Maybe<void> {
    const { http, principal } = visit;
    const id = http.header('mcp-session-id');
    const version = http.header('mcp-protocol-version');
    const { versions } = this.#server.host;
    if (id === undefined) {
      const message = 'The header Mcp-Session-Id is missing: send "initialize" to open a session';
      throw new Refusal(400, RpcError.invalidRequest(message, { supported: versions }), requestId);
    }
    if (version !== undefined && !isServed(version, versions, 'stateful'))
      throw new Refusal(400, unsupportedVersion(version, versions), requestId);
    return chain(this.#store.get(id), (stored) => {
      if (!stored || stored.principal !== principalKey(principal)) {
        throw new Refusal(
          404,
          'There is no such session, or it has ended: send "initialize" to open another',
          requestId,
        );
      }
      return action(id, stored);
    });
  }

  #makePost(visit: Visit, { session, live }: KeptPlace): Post {
    const isPrimed = hasPrimedStreams(session);
    const recording = new PostRecording(this.#recordings, live, isPrimed);
    const post = new Post(visit, this.#host, session, recording);
    recording.post = post;
    if (isPrimed) post.maxStreamMs = this.#host.settings.maxStreamMs;
    return post;
  }

  #listen(visit: Visit, id: string, stored: StoredSession): void {
    this.#checkUnread(visit, id);
    this.#standBy(visit, id, stored, []);
  }

  // Without knowing who is there nobody can take over a stream that somebody reads, unless by its name.
  #checkUnread({ principal }: Visit, id: string, name?: string): void {
    const standalone = this.#live.get(id)?.standalone;
    if (standalone?.isRead && standalone.name !== name && !principal) {
      throw new Refusal(409, 'This session has a stream open already');
    }
  }

  // Whoever knows an event of a stream is its reader, also if nothing is kept of the stream. What is not kept any more cannot
  // be told again.
  #listenAgain(visit: Visit, id: string, stored: StoredSession, last: string): Maybe<void> {
    const stream = streamOf(last);
    const missed: StoredEvent[] = [];
    return chain(
      this.#stores.events.follow(id, last, (event) => void missed.push(event)),
      (stop) => {
        if (stop) stop();
        else this.#checkUnread(visit, id, stream);
        this.#standBy(visit, id, stored, missed);
        return this.#stores.mailboxes.send(id, { type: 'resumed', stream });
      },
    );
  }

  #standBy(visit: Visit, id: string, { session }: StoredSession, missed: readonly StoredEvent[]): void {
    const live = this.#liveSession(id);
    // Before the other one is closed: it may be all that goes on here.
    live.stay();
    live.standalone?.close();
    const reader = this.#open(visit);
    for (const event of missed) tell(reader, event, true);
    const standalone = new Standalone(id, reader, this.#standaloneHost);
    const { principal } = visit;
    const audience = this.#audienceOf({ principal, capabilities: session.capabilities, trusted: false });
    standalone.begin(audience, hasPrimedStreams(session) ? this.#host.settings.retryMs : undefined);
    if (principal) visit.http.onClose(whenExpired(principal, () => standalone.detach()));
    live.standalone = standalone;
    this.#host.heartbeat.join(standalone);
  }

  readonly #standaloneHost: StandaloneHost = {
    append: (session, event) => this.#append(session, event),
    onEnd: (stream) => {
      this.#host.heartbeat.leave(stream);
      const live = this.#live.get(stream.session);
      if (live?.standalone === stream) live.standalone = undefined;
      live?.exit();
    },
  };

  async #resume(visit: Visit, id: string, { session }: StoredSession, last: string): Promise<void> {
    const stream = streamOf(last);
    const live = this.#liveSession(id);
    const release = live.hold();
    const missed: StoredEvent[] = [];
    let take = (event: StoredEvent): void => void missed.push(event);
    let stop: (() => void) | undefined;
    try {
      stop = await this.#stores.events.follow(id, last, (event) => take(event));
      if (!stop) throw new Refusal(400, 'This stream cannot be gone on with: it is over, and its events are not kept');
      await this.#stores.mailboxes.send(id, { type: 'resumed', stream });
    } catch (error) {
      stop?.();
      release();
      throw error;
    }
    const reader = this.#open(visit);
    // The official client v1 remembers ids of this stream only: if the stream is lost before its next event, it would come back
    // without Last-Event-ID and never get its response. A client that has everything must not come back.
    if (hasPrimedStreams(session) && !isAllTold(missed)) reader.write(primingEvent(last, this.#host.settings.retryMs));
    const removed = live.addResumed(stream, () => reader.end());
    this.#host.heartbeat.join(reader);
    visit.http.onClose(() => {
      this.#host.heartbeat.leave(reader);
      removed();
      stop();
      release();
    });
    take = (event) => tell(reader, event, event.isLast);
    // What is kept is bounded: however much was missed can be told at once.
    for (const event of missed.splice(0)) tell(reader, event, true);
  }

  #open(visit: Visit): Reader {
    this.#host.load.openStandalone(visit);
    const reader = new Reader(openStream(visit, EVENT_STREAM), visit);
    reader.write(keepAlivePromise(this.#host.settings.keepAliveMs));
    return reader;
  }

  // Those of whom nobody knows who they are see the same, if they can do the same.
  #audienceOf(viewer: Observer): Audience<Standalone> {
    const { principal, capabilities } = viewer;
    const known = principal ? undefined : this.#audiences.get(capabilities);
    if (known) return known;
    const audience = new Audience<Standalone>(
      (listener) => this.#server.host.watch(listener, viewer),
      (stream, change) => this.#tell(stream, change),
    );
    if (!principal) this.#audiences.set(capabilities, audience);
    return audience;
  }

  #tell(stream: Standalone, change: ServerEvent): void {
    // What a client subscribed to may have been said to another node.
    this.#unwatched(() =>
      chain(this.#store.get(stream.session), (stored) => {
        const notification = stored && revisionNamed(stored.session.version).deliver(change, stored.session);
        if (notification) stream.tell(notification);
      }),
    );
  }

  #liveSession(id: string): LiveSession {
    const found = this.#live.get(id);
    if (found) return found;
    const live = new LiveSession(id, this.#liveHost);
    this.#live.set(id, live);
    return live;
  }

  // One function for all: one for each would take room for as long as a stream is open.
  readonly #takeLetter = (letter: Letter, id: string): void => this.#live.get(id)?.take(letter);

  readonly #liveHost: LiveSessionHost = {
    stay: (live) => {
      this.#touches.join(live);
      return this.#stores.mailboxes.read(live.id, this.#takeLetter);
    },
    touch: (live) => this.#touch(live),
    onIdle: (live) => {
      if (this.#live.get(live.id) === live) this.#live.delete(live.id);
      this.#touches.leave(live);
    },
  };

  #touch(live: LiveSession): void {
    this.#unwatched(() =>
      chain(this.#store.get(live.id), (stored) => {
        if (!stored) live.end();
      }),
    );
  }

  #append(id: string, event: StoredEvent): void {
    this.#unwatched(() => this.#stores.events.append(id, event));
  }

  // A store that fails is no reason for what goes on to fail.
  #unwatched(action: () => Maybe<void>): void {
    unwatched(action, this.#host.report);
  }
}

function hasPrimedStreams({ version }: Session): boolean {
  return factsOf(version).primedStreams;
}

function isAllTold(missed: readonly StoredEvent[]): boolean {
  return missed.some(({ isLast }) => isLast) && missed.every(({ data }) => data === '');
}

function tell(reader: Reader, { id, data, isLast }: StoredEvent, isNeeded: boolean): void {
  if (data !== '') reader.write(messageEvent(data, id), isNeeded);
  if (isLast) reader.end();
}

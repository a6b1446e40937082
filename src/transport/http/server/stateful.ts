/** `Stateful`: serves clients of stateful revisions, with stored sessions. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import { isUnreadable, type Payload } from '../../../jsonrpc/json/parse-message.ts';
import { retainedSize } from '../../../jsonrpc/json/retained-size.ts';
import {
  finallyMaybe,
  ignoreRejection,
  isPromise,
  type MaybePromise,
  thenMaybe,
} from '../../../jsonrpc/maybe-promise.ts';
import { type Id, isBatch, isRequest, type Message, type Request } from '../../../jsonrpc/message.ts';
import { SlotMap } from '../../../jsonrpc/slot-map.ts';
import { unsupportedVersion } from '../../../protocol/errors.ts';
import { principalKey } from '../../../protocol/principal.ts';
import { isServed } from '../../../protocol/revision-of-message.ts';
import type { Session } from '../../../protocol/session.ts';
import type { ServerInternals } from '../../../server/internals.ts';
import { KEPT_BYTES_EXCEEDED, type Usage } from '../../../server/limits/usage.ts';
import type { StoredEvent } from '../../../store/event-store.ts';
import { newNodeId } from '../../../store/session-bus.ts';
import type { SessionPatch, SessionStore } from '../../../store/session-store.ts';
import { memorySessionStore } from '../../../store/session-store.ts';
import { once } from '../../../timing/single-flight.ts';
import { timerMs } from '../../../timing/timer-range.ts';
import type { Handshakes } from './handshakes.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Fields } from './http-exchange.ts';
import { Introductions, MAX_INTRODUCTION } from './introductions.ts';
import { LiveSession, type LiveSessionHost } from './live-session.ts';
import type { Load } from './load.ts';
import type { SessionMessage, SessionRecord, SessionStores, Settings } from './options.ts';
import { Post, type PostHost } from './post.ts';
import { PostRecording, type RecordingHost } from './recording.ts';
import { busy, Refusal } from './refusal.ts';
import { type CallsHost, type Place, SessionCalls } from './session-calls.ts';
import { patchesOf, type SessionState, sessionOf } from './session-patches.ts';
import { hasPrimedStreams, SessionStreams, type Stored } from './session-streams.ts';
import { idOf, isHandshake } from './sessionless.ts';
import { fromStore, unavailable } from './store-failure.ts';
import { nodeOf } from './stream-names.ts';
import { unguessable } from './unguessable.ts';
import { reply, type Visit } from './visit.ts';

export interface StatefulHost extends PostHost {
  readonly settings: Settings;
  readonly handshakes: Handshakes;
  readonly load: Load;
  report(error: unknown): void;
}

// Estimated memory of a session whose `clientInfo` and `capabilities` are shared with other sessions, in bytes.
const SESSION_BYTES = 1024;

// Requests that need the subscriptions of their session, which the session store returns separately.
const OF_SUBSCRIPTIONS: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);

/** A stored session, and its state on this node. */
interface KeptPlace extends Place {
  /** The state that this request last read from the session store, or wrote to it. */
  saved: SessionState;
}

export class Stateful {
  readonly #server: ServerInternals;
  readonly #host: StatefulHost;
  readonly #stores: SessionStores;
  readonly #store: SessionStore<SessionRecord>;
  readonly #usage: Usage;
  readonly #calls: CallsHost<KeptPlace>;
  readonly #recordings: RecordingHost;
  readonly #streams: SessionStreams;
  readonly #introductions = new Introductions();
  readonly #live = new SlotMap<string, LiveSession>();
  /** Memory of sessions in the memory store beyond that of their records, in bytes, keyed by session id. */
  readonly #grown = new Map<string, number>();
  /** Resets the idle time of sessions with running requests or open streams, at least three times before they would expire. */
  readonly #touches: Heartbeat;
  /** Ids of the sessions whose idle time is reset in the next microtask. */
  #touched = new Set<string>();
  readonly #node = newNodeId();
  readonly #startOnce: () => Promise<void>;
  #stopListening: (() => void) | undefined;
  #isStarted = false;
  #isClosed = false;

  constructor(server: ServerInternals, host: StatefulHost, stores: SessionStores) {
    this.#server = server;
    this.#host = host;
    this.#stores = stores;
    this.#usage = server.usage;
    this.#store = stores.store ?? this.#memoryStore(stores);
    this.#touches = host.heartbeat.every(timerMs(Math.min(host.settings.keepAliveMs, stores.idleMs / 3)));
    const append = (id: string, event: StoredEvent): void => this.#unwatched(() => stores.events.append(id, event));
    this.#recordings = {
      node: this.#node,
      retryMs: host.settings.retryMs,
      append,
      grow: (id, bytes) => stores.store !== undefined || this.#grow(id, bytes),
    };
    this.#calls = {
      ...host,
      server,
      makePost: (visit, place, requestIds) => this.#makePost(visit, place, requestIds),
      respond: ({ live }, id, message) => this.#respond(live.id, id, message),
      broadcast: ({ live }, message) => fromStore(() => stores.bus.broadcast(live.id, message)),
      save: (place) => this.#save(place),
    };
    this.#streams = new SessionStreams({
      ...host,
      server,
      node: this.#node,
      store: this.#store,
      events: stores.events,
      bus: stores.bus,
      introductions: this.#introductions,
      liveSession: (id) => this.#liveSession(id),
      findLive: (id) => this.#live.get(id),
      append,
    });
    this.#startOnce = once(async () => this.#start());
    // A failure is ignored here, because every request of a session reports it.
    this.#startOnce().catch(() => {});
  }

  /** Resolves when the stores can be used; undefined if they already can. After a rejection, the next call tries again. */
  ready(): Promise<void> | undefined {
    return this.#isStarted ? undefined : this.#startOnce();
  }

  /** Sessions with running requests or open streams on this node. */
  get live(): Iterable<LiveSession> {
    return this.#live.values();
  }

  /** Stops listening to the session bus. The stores stay open, because they belong to the code that created them. */
  close(): void {
    this.#isClosed = true;
    this.#stopListening?.();
  }

  post(visit: Visit, payload: Payload): MaybePromise<void> {
    if (isHandshake(payload)) {
      return this.#host.handshakes.take(visit, payload, (session) => this.#keep(visit, payload, session));
    }
    return this.#inSession(visit, (id, stored) => this.#take(visit, payload, id, stored), idOf(payload));
  }

  /** Opens the GET stream of a session, or resumes an SSE stream. */
  get(visit: Visit): MaybePromise<void> {
    return this.#inSession(visit, (id, stored) => this.#streams.open(visit, id, stored));
  }

  /** Ends a session on all nodes. */
  delete(visit: Visit): MaybePromise<void> {
    const { bus, events } = this.#stores;
    return this.#inSession(visit, async (id) => {
      await fromStore(() => this.#store.delete(id));
      await fromStore(() => bus.broadcast(id, { type: 'ended' }));
      await fromStore(() => events.forget(id));
      reply(visit, 204, {});
    });
  }

  // Completes synchronously if no store has to be opened, so that requests need not wait.
  #start(): MaybePromise<void> {
    const { store, events, bus } = this.#stores;
    const opening = [store, events, bus].map((one) => one?.ready?.()).filter(isPromise);
    return opening.length === 0 ? this.#listen() : Promise.all(opening).then(() => this.#listen());
  }

  #listen(): MaybePromise<void> {
    if (this.#isClosed) return undefined;
    return thenMaybe(this.#stores.bus.listen(this.#node, this.#receive), (stop) => {
      this.#stopListening = stop;
      this.#isStarted = true;
      if (this.#isClosed) stop();
    });
  }

  readonly #receive = (id: string, message: SessionMessage): void => {
    if (message.type === 'resumed' && message.by === this.#node) return;
    if (message.type === 'ping') this.#streams.ping(id, message.stream);
    else this.#live.get(id)?.receive(message);
  };

  #keep(visit: Visit, request: Request, opened: Session): MaybePromise<Fields> {
    const session = this.#introductions.shared(opened);
    if (!session) {
      const message = `initialize: "clientInfo" and "capabilities" may have ${MAX_INTRODUCTION} characters`;
      throw new Refusal(400, RpcError.invalidParams(message), request.id);
    }
    const id = unguessable();
    const { caller, principal } = visit;
    const bytes = SESSION_BYTES + (session.clientInfo === opened.clientInfo ? retainedSize(session) : 0);
    if (!this.#usage.kept.hasRoom(visit, bytes)) throw busy(KEPT_BYTES_EXCEEDED);
    const record: SessionRecord = { session, principal: principalKey(principal), caller, bytes };
    const created = fromStore(() => thenMaybe(this.ready(), () => this.#store.create(id, record, caller)));
    return thenMaybe(created, (hasRoom) => {
      if (!hasRoom) throw busy('Too many sessions are open');
      if (!this.#stores.store) this.#usage.kept.take(caller, bytes);
      return { 'mcp-session-id': id };
    });
  }

  #memoryStore({ idleMs, max }: SessionStores): SessionStore<SessionRecord> {
    return memorySessionStore<SessionRecord>({
      idleMs,
      max,
      isInUse: (id) => this.#live.get(id) !== undefined,
      onRemove: ({ caller, bytes }, id) => {
        this.#usage.kept.release(caller, bytes + (this.#grown.get(id) ?? 0));
        this.#grown.delete(id);
        this.#unwatched(() => this.#stores.events.forget(id));
      },
    });
  }

  // Adds to the memory count of a session in the memory store. Returns false if a limit does not allow that.
  #grow(id: string, bytes: number): boolean {
    const { record } = (this.#store.get(id) as Stored | undefined) ?? {};
    if (!record || !this.#usage.kept.hasRoom(record, Math.max(0, bytes))) return false;
    if (bytes > 0) this.#usage.kept.take(record.caller, bytes);
    else this.#usage.kept.release(record.caller, -bytes);
    this.#grown.set(id, (this.#grown.get(id) ?? 0) + bytes);
    return true;
  }

  #take(visit: Visit, payload: Payload, id: string, stored: Stored): MaybePromise<void> {
    const session = sessionOf(stored);
    if (!needsSubscriptions(payload)) return this.#takeIn(visit, payload, id, session);
    const read = fromStore(() => this.#store.subscriptions(id));
    return thenMaybe(read, (subscriptions) => this.#takeIn(visit, payload, id, { ...session, subscriptions }));
  }

  #takeIn(visit: Visit, payload: Payload, id: string, session: Session): MaybePromise<void> {
    const live = this.#liveSession(id);
    const { initialized, logLevel, subscriptions } = session;
    const calls = new SessionCalls(this.#calls, { session, live, saved: { initialized, logLevel, subscriptions } });
    live.enter();
    return finallyMaybe(
      () => calls.take(visit, payload),
      () => live.exit(),
    );
  }

  // Runs `action` with the session of the request. Sessions of other principals get 404, like unknown sessions.
  #inSession(
    visit: Visit,
    action: (id: string, stored: Stored) => MaybePromise<void>,
    requestId?: Id,
  ): MaybePromise<void> {
    const { http, principal } = visit;
    const id = http.header('mcp-session-id');
    const version = http.header('mcp-protocol-version');
    const { versions } = this.#server.serverInfo;
    if (id === undefined) {
      const message = 'The header Mcp-Session-Id is missing: send "initialize" to open a session';
      throw new Refusal(400, RpcError.invalidRequest(message, { supported: versions }), requestId);
    }
    if (version !== undefined && !isServed(version, versions, 'stateful'))
      throw new Refusal(400, unsupportedVersion(version, versions), requestId);
    return thenMaybe(this.#find(id), (stored) => {
      if (!stored || stored.record.principal !== principalKey(principal)) {
        throw new Refusal(
          404,
          'There is no such session, or it has ended: send "initialize" to open another',
          requestId,
        );
      }
      return action(id, stored);
    });
  }

  #find(id: string): MaybePromise<Stored | undefined> {
    const ready = this.ready();
    if (ready) return ready.then(() => this.#store.get(id)).catch(unavailable);
    try {
      const found = this.#store.get(id);
      return isPromise(found) ? found.catch(unavailable) : found;
    } catch (error) {
      return unavailable(error);
    }
  }

  #makePost(visit: Visit, { session, live }: KeptPlace, requestIds: Id | readonly Id[] | undefined): Post {
    const isPrimed = hasPrimedStreams(session);
    const recording = new PostRecording(this.#recordings, live, isPrimed);
    const post = new Post(visit, this.#host, session, recording);
    recording.post = post;
    recording.requestIds = requestIds;
    if (isPrimed) post.maxStreamMs = this.#host.settings.maxStreamMs;
    return post;
  }

  // Sends a response to the node named in the id of the input request. A response without a node in its id is ignored.
  #respond(session: string, id: Id | null | undefined, message: SessionMessage): MaybePromise<boolean> {
    const node = nodeOf(id);
    return node === undefined || fromStore(() => this.#stores.bus.send(node, session, message));
  }

  #save(place: KeptPlace): MaybePromise<void> {
    const { live, session, saved } = place;
    const patches = patchesOf(saved, session);
    if (patches.length === 0) return undefined;
    const { initialized, logLevel, subscriptions } = session;
    place.saved = { initialized, logLevel, subscriptions };
    return this.#update(live.id, patches);
  }

  #update(id: string, [patch, ...others]: readonly SessionPatch[]): MaybePromise<void> {
    if (!patch) return undefined;
    return thenMaybe(
      fromStore(() => this.#store.update(id, patch)),
      () => this.#update(id, others),
    );
  }

  #liveSession(id: string): LiveSession {
    const found = this.#live.get(id);
    if (found) return found;
    const live = new LiveSession(id, this.#liveHost);
    this.#live.set(id, live);
    return live;
  }

  readonly #liveHost: LiveSessionHost = {
    stay: (live) => this.#touches.join(live),
    touch: ({ id }) => this.#touch(id),
    onIdle: (live) => {
      if (this.#live.get(live.id) === live) this.#live.delete(live.id);
      this.#touches.leave(live);
    },
  };

  // Collects the sessions of one tick for a single request to the store.
  #touch(id: string): void {
    if (this.#touched.size === 0) queueMicrotask(() => this.#unwatched(() => this.#touchAll()));
    this.#touched.add(id);
  }

  #touchAll(): MaybePromise<void> {
    const ids = [...this.#touched];
    this.#touched = new Set();
    return thenMaybe(this.#store.touch(ids), (gone) => {
      for (const id of gone) this.#live.get(id)?.end();
    });
  }

  // Reports failures of the stores, which must not end requests or streams.
  #unwatched(action: () => MaybePromise<void>): void {
    ignoreRejection(action, this.#host.report);
  }
}

function needsSubscriptions(payload: Payload): boolean {
  if (isBatch(payload)) return (payload as readonly Payload[]).some(needsSubscriptions);
  if (isUnreadable(payload)) return false;
  const message = payload as Message;
  return isRequest(message) && OF_SUBSCRIPTIONS.has(message.method);
}

/** Clients of revisions with sessions: opening one, speaking in it, listening, coming back, ending it. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import { type Id, isErrorResponse, type Request } from '../../../jsonrpc/message.ts';
import type { Payload } from '../../../jsonrpc/parse.ts';
import { unsupportedVersion } from '../../../protocol/errors.ts';
import { revisionNamed } from '../../../protocol/pick.ts';
import { principalKey } from '../../../protocol/principal.ts';
import { answer } from '../../../server/answer.ts';
import { ConnectionExchange } from '../../../server/connection-exchange.ts';
import { chain, isPromise, type Maybe } from '../../../server/maybe.ts';
import type { Served } from '../../../server/served.ts';
import { type StoredEvent, streamOf } from '../../../store/events.ts';
import { EVENT_STREAM, messageEvent } from './events.ts';
import { LiveSession } from './live-session.ts';
import type { SessionStores, Settings, StoredSession } from './options.ts';
import { Post, type PostHost } from './post.ts';
import { Reader } from './reader.ts';
import { PostRecording } from './recording.ts';
import { busy, Refusal } from './refusal.ts';
import { SessionCalls } from './session-calls.ts';
import { idOf, isHandshake } from './sessionless.ts';
import { Standalone } from './standalone.ts';
import { unguessable } from './unguessable.ts';
import { openStream, reply, type Visit } from './visit.ts';

/** What it needs of its endpoint. */
export interface StatefulHost extends PostHost {
  readonly settings: Settings;
  report(error: unknown): void;
}

// What is kept of a client is small; whoever says more of itself has something else in mind.
const MAX_INTRODUCTION = 16 * 1024;

/** Serves them, for as long as the store remembers their sessions. */
export class Stateful {
  readonly #server: Served;
  readonly #host: StatefulHost;
  readonly #stores: SessionStores;
  readonly #live = new Map<string, LiveSession>();
  #streams = 0;

  constructor(server: Served, host: StatefulHost, stores: SessionStores) {
    this.#server = server;
    this.#host = host;
    this.#stores = stores;
  }

  /** The sessions in which something goes on. */
  get live(): Iterable<LiveSession> {
    return [...this.#live.values()];
  }

  /** Takes what a POST brought. */
  post(visit: Visit, payload: Payload): Maybe<void> {
    if (isHandshake(payload)) return this.#handshake(visit, payload);
    return this.#inSession(
      visit,
      (id, stored) => {
        const { session } = stored;
        const live = this.#liveSession(id);
        const release = live.hold();
        const calls = new SessionCalls({
          server: this.#server,
          session,
          live,
          makePost: (from) => this.#makePost(from, id, stored, live),
          send: (letter) => this.#stores.mailboxes.send(id, letter),
          save: () => this.#stores.store.save(id, stored),
          report: this.#host.report,
        });
        return finallyDo(() => calls.take(visit, payload), release);
      },
      idOf(payload),
    );
  }

  /** Opens the stream on which a session is told of changes, or goes on with one that was lost. */
  get(visit: Visit): Maybe<void> {
    return this.#inSession(visit, (id, stored) => {
      if (!visit.accept.events) throw new Refusal(406, 'The answer is an event stream: accept text/event-stream');
      if (this.#streams >= this.#host.settings.limits.streams) throw busy('Too many streams are open');
      const last = visit.http.header('last-event-id');
      return last ? this.#resume(visit, id, stored, last) : this.#listen(visit, id, stored);
    });
  }

  /** Ends a session. */
  delete(visit: Visit): Maybe<void> {
    return this.#inSession(visit, async (id) => {
      await this.#stores.store.delete(id);
      await this.#stores.mailboxes.send(id, { type: 'ended' });
      await this.#stores.events.forget(id);
      reply(visit, 204, {});
    });
  }

  #handshake(visit: Visit, request: Request): Maybe<void> {
    const post = new Post(visit, this.#host);
    post.isQuiet = true;
    const exchange = new ConnectionExchange(post, request.method);
    return chain(answer(this.#server, request, exchange), (response) => {
      exchange.finish();
      const { opened } = post;
      if (!opened || isErrorResponse(response)) {
        const isUnknown = isErrorResponse(response) && response.error.code === -32022;
        return post.respond(isUnknown ? 400 : 200, response);
      }
      const introduction = JSON.stringify([opened.clientInfo, opened.capabilities]).length;
      if (introduction > MAX_INTRODUCTION) {
        const message = `initialize: "clientInfo" and "capabilities" may have ${MAX_INTRODUCTION} characters`;
        throw new Refusal(400, RpcError.invalidParams(message), request.id);
      }
      const id = unguessable();
      const stored: StoredSession = { session: opened, principal: principalKey(visit.principal) };
      return chain(this.#stores.store.create(id, stored), (hasRoom) => {
        if (!hasRoom) throw busy('Too many sessions are open');
        post.fields = { 'mcp-session-id': id };
        post.respond(200, response);
      });
    });
  }

  // A session is there only for whom it was opened; to others it does not exist.
  #inSession(visit: Visit, action: (id: string, stored: StoredSession) => Maybe<void>, requestId?: Id): Maybe<void> {
    const { http, principal } = visit;
    const id = http.header('mcp-session-id');
    const version = http.header('mcp-protocol-version');
    const { versions } = this.#server['~parts'].host;
    if (id === undefined) {
      const message = 'The header Mcp-Session-Id is missing: send "initialize" to open a session';
      throw new Refusal(400, RpcError.invalidRequest(message, { supported: versions }), requestId);
    }
    if (version !== undefined && !isStateful(version, versions))
      throw new Refusal(400, unsupportedVersion(version, versions), requestId);
    return chain(this.#stores.store.get(id), (stored) => {
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

  #makePost(visit: Visit, id: string, { session }: StoredSession, live: LiveSession) {
    const { retryMs, maxStreamMs } = this.#host.settings;
    const isPrimed = revisionNamed(session.version)?.facts.primedStreams === true;
    const recording = new PostRecording({
      isPrimed,
      retryMs,
      append: (event) => this.#append(id, event),
      named: (name, one) => live.addRecording(name, one),
    });
    const post = new Post(visit, this.#host, session, recording);
    recording.post = post;
    if (isPrimed) post.endStreamAfter(maxStreamMs);
    return { post, recording };
  }

  #listen(visit: Visit, id: string, stored: StoredSession): void {
    const live = this.#liveSession(id);
    // Without knowing who is there nobody can take over a stream that somebody reads.
    if (live.standalone?.isRead && !visit.principal) {
      throw new Refusal(409, 'This session has a stream open already');
    }
    live.standalone?.close();
    const release = live.hold();
    const reader = this.#open(visit, () => {});
    const standalone: Standalone = new Standalone(reader, {
      append: (event) => this.#append(id, event),
      watch: (listener) => this.#watch(visit, id, stored, listener),
      onEnd: () => {
        this.#host.heartbeat.leave(standalone);
        if (live.standalone === standalone) live.standalone = undefined;
        release();
      },
    });
    live.standalone = standalone;
    this.#host.heartbeat.join(standalone);
  }

  #resume(visit: Visit, id: string, stored: StoredSession, last: string): Maybe<void> {
    const live = this.#liveSession(id);
    const release = live.hold();
    const missed: StoredEvent[] = [];
    let tell = (event: StoredEvent): void => void missed.push(event);
    const followed = this.#stores.events.follow(id, last, (event) => tell(event));
    return chain(followed, (stop) => {
      // What is not kept any more, or never was this session's, cannot be gone on with.
      if (!stop) return finallyDo(() => this.#listen(visit, id, stored), release);
      const stream = streamOf(last);
      return chain(this.#stores.mailboxes.send(id, { type: 'resumed', stream }), () => {
        const end = (): void => {
          this.#host.heartbeat.leave(reader);
          removed();
          stop();
          release();
        };
        const reader = this.#open(visit, end);
        const removed = live.addStream(() => reader.end());
        this.#host.heartbeat.join(reader);
        if (live.standalone?.name === stream) live.standalone.resumeBy(reader);
        tell = ({ id: eventId, data, isLast }) => {
          if (data !== '') reader.write(messageEvent(data, eventId));
          if (isLast) reader.end();
        };
        for (const event of missed.splice(0)) tell(event);
      });
    });
  }

  #open(visit: Visit, onEnd: () => void): Reader {
    this.#streams++;
    const reader = new Reader(openStream(visit, EVENT_STREAM), this.#host.unreadBytes);
    visit.http.onClose(() => {
      this.#streams--;
      onEnd();
    });
    return reader;
  }

  #watch(visit: Visit, id: string, { session }: StoredSession, listener: Parameters<StandaloneWatch>[0]): () => void {
    const revision = revisionNamed(session.version);
    const viewer = { principal: visit.principal, capabilities: session.capabilities };
    return this.#server['~parts'].host.watch((change) => {
      // What a client subscribed to may have been said to another node.
      const told = chain(this.#stores.store.get(id), (stored) => {
        const notification = stored && revision?.deliver(change, stored.session);
        if (notification) listener(notification);
      });
      if (isPromise(told)) told.catch(this.#host.report);
    }, viewer);
  }

  #liveSession(id: string): LiveSession {
    const found = this.#live.get(id);
    if (found) return found;
    const live: LiveSession = new LiveSession({
      read: (reader) => this.#stores.mailboxes.read(id, reader),
      touch: () => this.#touch(id, live),
      onIdle: () => {
        this.#live.delete(id);
        this.#host.heartbeat.leave(live);
      },
    });
    this.#live.set(id, live);
    this.#host.heartbeat.join(live);
    return live;
  }

  #touch(id: string, live: LiveSession): void {
    const touched = chain(this.#stores.store.get(id), (stored) => {
      if (!stored) live.end();
    });
    if (isPromise(touched)) touched.catch(this.#host.report);
  }

  #append(id: string, event: StoredEvent): void {
    const kept = this.#stores.events.append(id, event);
    if (isPromise(kept)) kept.catch(this.#host.report);
  }
}

type StandaloneWatch = ConstructorParameters<typeof Standalone>[1]['watch'];

function isStateful(version: string, served: readonly string[]): boolean {
  return served.includes(version) && revisionNamed(version)?.facts.family === 'stateful';
}

function finallyDo(action: () => Maybe<void>, after: () => void): Maybe<void> {
  let result: Maybe<void>;
  try {
    result = action();
  } catch (error) {
    after();
    throw error;
  }
  if (isPromise(result)) return result.finally(after);
  after();
  return result;
}

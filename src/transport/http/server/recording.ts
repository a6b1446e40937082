/** The stream of a POST in a session: its events are kept, and it can carry questions to the client. */

import type { Id, Response } from '../../../jsonrpc/message.ts';
import { PendingRequests } from '../../../jsonrpc/pending-requests.ts';
import type { ExchangeConnection } from '../../../server/connection/exchange.ts';
import type { StoredEvent } from '../../../store/event-store.ts';
import { primingEvent } from './events.ts';
import type { Post, Recording } from './post.ts';
import { postStreamName } from './stream-names.ts';

/** What a recording needs of its session. */
export interface RecordingPlace {
  readonly id: string;
  /** The stream has a name from now on, by which it can be asked for. */
  addRecording(name: string, recording: PostRecording): void;
  removeRecording(name: string): void;
}

/** What recordings need of their endpoint. */
export interface RecordingHost {
  /** The id of this node, for the names of streams. */
  readonly node: string;
  readonly retryMs: number;
  /** Keeps an event of a session. */
  append(session: string, event: StoredEvent): void;
  /** Counts bytes that a session keeps from now on; false if there is no room for them. */
  grow(session: string, bytes: number): boolean;
}

/** Nothing of it is made before it is needed: most posts are answered in one piece. */
export class PostRecording implements Recording {
  /** What it records. */
  post: Post | undefined;
  /** The requests of the post. */
  requestIds: Id | readonly Id[] | undefined;
  readonly #host: RecordingHost;
  readonly #place: RecordingPlace;
  /** The client can be told to come back before the first message: the revision has events without one. */
  readonly #isPrimed: boolean;
  #name: string | undefined;
  #events = 0;
  #questions = 0;
  #outgoing: PendingRequests | undefined;

  constructor(host: RecordingHost, place: RecordingPlace, isPrimed: boolean) {
    this.#host = host;
    this.#place = place;
    this.#isPrimed = isPrimed;
  }

  grow(bytes: number): boolean {
    return this.#host.grow(this.#place.id, bytes);
  }

  begin(): string | undefined {
    return this.#isPrimed ? primingEvent(this.record('', false), this.#host.retryMs) : undefined;
  }

  record(data: string, isLast: boolean): string {
    const isFirst = this.#events === 0;
    const id = `${this.#named()}.${this.#events++}`;
    const requestIds = isFirst && this.requestIds !== undefined ? [this.requestIds].flat() : undefined;
    this.#host.append(this.#place.id, requestIds ? { id, data, isLast, requestIds } : { id, data, isLast });
    return id;
  }

  close(): void {
    if (this.#name !== undefined) this.record('', true);
  }

  get ask(): ExchangeConnection['ask'] {
    return (method, params, options) => {
      this.#outgoing ??= this.#makeOutgoing();
      // The answer comes by another request, which says nothing but the question's id and its session.
      return this.#outgoing.request(method, params, options, { id: `${this.#named()}.${++this.#questions}` });
    };
  }

  /** Hands an answer to the question it is for; false if that is not one of these. */
  settle(response: Response): boolean {
    return this.#outgoing?.settle(response) === true;
  }

  /** The answer to this question cannot be read. */
  fail(id: string | number, error: Error): boolean {
    return this.#outgoing?.fail(id, error) === true;
  }

  /** The post is over: nobody waits for answers any more. */
  end(): void {
    if (this.#name !== undefined) this.#place.removeRecording(this.#name);
    this.#outgoing?.close();
  }

  #named(): string {
    if (this.#name === undefined) {
      this.#name = postStreamName(this.#host.node);
      this.#place.addRecording(this.#name, this);
    }
    return this.#name;
  }

  #makeOutgoing(): PendingRequests {
    return new PendingRequests({
      send: (request) => this.post?.send(request),
      cancel: (requestId, _method, reason) =>
        this.post?.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } }),
    });
  }
}

/** `PostRecording`: stores the events of a POST's SSE stream in a session, and sends input requests on the stream. */

import type { Id, Response } from '../../../jsonrpc/message.ts';
import { PendingRequests } from '../../../jsonrpc/pending-requests.ts';
import type { ExchangeConnection } from '../../../server/connection/exchange.ts';
import type { StoredEvent } from '../../../store/event-store.ts';
import { primingEvent } from './events.ts';
import type { Post, Recording } from './post.ts';
import { postStreamName } from './stream-names.ts';

export interface RecordingPlace {
  readonly id: string;
  /** Registers the stream by its stream id, so that input responses and resuming clients find it. */
  addRecording(name: string, recording: PostRecording): void;
  removeRecording(name: string): void;
}

export interface RecordingHost {
  /** Id of this node, which is part of stream ids. */
  readonly node: string;
  readonly retryMs: number;
  append(session: string, event: StoredEvent): void;
  /** Adds `bytes` to the memory count of a session. Returns false if a limit does not allow that. */
  grow(session: string, bytes: number): boolean;
}

/** The SSE stream of one POST. Its id is created with the first event, because most POSTs get a JSON response. */
export class PostRecording implements Recording {
  post: Post | undefined;
  requestIds: Id | readonly Id[] | undefined;
  readonly #host: RecordingHost;
  readonly #place: RecordingPlace;
  /** True if the stream starts with an event without data, from which clients can resume it (2025-11-25). */
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
      // The input response arrives in another POST, perhaps on another node, so the id names this node and stream.
      return this.#outgoing.request(method, params, options, { id: `${this.#named()}.${++this.#questions}` });
    };
  }

  /** Settles the input request that the response belongs to. Returns false if this stream did not send it. */
  settle(response: Response): boolean {
    return this.#outgoing?.settle(response) === true;
  }

  /** Rejects the input request with this id, whose response is malformed. Returns false if this stream did not send it. */
  fail(id: string | number, error: Error): boolean {
    return this.#outgoing?.fail(id, error) === true;
  }

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

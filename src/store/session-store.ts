/** Where the sessions of stateful clients are kept between their requests; a shared store serves every node. */

import type { Lifecycle, MaybePromise } from './lifecycle.ts';

/** A session: the record that it was created with, and the part that changes. JSON. */
export interface StoredSession<Record> {
  readonly record: Record;
  /** The client has sent `notifications/initialized`. */
  readonly initialized: boolean;
  /** The level the client has set; undefined before it has. */
  readonly logLevel: string | undefined;
}

/**
 * A change of a session. Each is one command that does not depend on what the node has read before, so that changes which two
 * nodes make at the same time are both kept.
 */
export type SessionPatch =
  | { readonly initialized: true }
  | { readonly logLevel: string }
  | { readonly subscribe: string }
  | { readonly unsubscribe: string }
  /** The client does not read this GET stream any more. Without effect if another one has taken its place. */
  | { readonly unread: string };

/** Which GET stream a new one may replace. */
export interface StreamCondition {
  /** Replaces the stream also while a client reads it. */
  readonly force: boolean;
  /** The stream that the client comes from: it may be replaced in any case. */
  readonly from?: string | undefined;
}

/** Whether a stream has become the session's GET stream, and the one before it. */
export interface TakenStream {
  readonly isTaken: boolean;
  readonly previous: string | undefined;
}

/**
 * Sessions by id. `Record` is JSON and never changes. A store may answer from a cache for a while; a session that it cannot
 * reach is a rejection, not undefined: the client gets 503 and keeps its session.
 */
export interface SessionStore<Record> extends Lifecycle {
  /** Keeps a new session. False if there is no room for it, in all or for this owner. */
  create(id: string, record: Record, owner: string): MaybePromise<boolean>;
  /** The session, if it is there and has not expired. Counts as use. */
  get(id: string): MaybePromise<StoredSession<Record> | undefined>;
  /** Changes a session. Without effect if it is not there. Does not count as use. */
  update(id: string, patch: SessionPatch): MaybePromise<void>;
  /** URIs the client subscribed to. Apart from the rest, because there may be many and few requests need them. */
  subscriptions(id: string): MaybePromise<readonly string[]>;
  /**
   * Makes a stream the session's GET stream, which a client reads from now on: there is one, on whichever node. Atomic: of two
   * nodes that do so at the same time, the second gets the stream of the first as `previous`. Not taken if the present one is
   * read and the condition does not allow to replace it, or if there is no such session.
   */
  takeStream(id: string, stream: string, condition: StreamCondition): MaybePromise<TakenStream>;
  /** Counts as use of these sessions; returns those that are not there any more. */
  touch(ids: readonly string[]): MaybePromise<readonly string[]>;
  /** Removes a session. False if it was not there. */
  delete(id: string): MaybePromise<boolean>;
}

/** Half an hour. */
export const DEFAULT_IDLE_MS: number = 30 * 60_000;

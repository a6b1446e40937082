/** One request's way back to its sender. Made by the transport, one per request. */

import type { Params } from '../jsonrpc/message.ts';
import type { PendingRequestOptions } from '../jsonrpc/pending-requests.ts';
import type { MethodRow } from './methods.ts';
import type { Principal } from './principal.ts';
import type { Session } from './session.ts';

/** What a server needs to know of where a request came from, and how to say something before the answer. */
export interface Exchange {
  /** The row of the request's method; undefined for methods that the protocol does not have. */
  readonly row: MethodRow | undefined;
  /** The peer is the process's owner (stdio, in-process): no scopes are required of it. */
  readonly trusted: boolean;
  /** The stateful session the request belongs to, if there is one. */
  readonly session: Session | undefined;
  /** Starts the session that this very request asked for. */
  openSession(session: Session): void;
  readonly principal: Principal | undefined;
  /** Whose share of the server the request uses: the principal, else the client's address. */
  readonly caller: string;
  /** Counts bytes that the session keeps from now on, or no longer if negative. False if there is no room for them. */
  growSession(bytes: number): boolean;
  /** Handlers are run again after each answer on every revision: for tests. */
  readonly forceReruns: boolean;
  /** Header fields, in lower case, where the transport has them. */
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** Sends a notification that belongs to the request; nothing leaves once the request is over. */
  notify(method: string, params: Params): void;
  /** Asks the client and waits; absent where the client cannot be reached. */
  readonly ask:
    | ((method: string, params: Params | undefined, options: PendingRequestOptions) => Promise<unknown>)
    | undefined;
  /** The request is answered already, and somebody stands in for its sender: who can be asked at any time. */
  readonly isDetached?: true;
  /** Takes how far the work has got, in place of a notification. */
  readonly progress?: (progress: number, total?: number, message?: string) => void;
  /** The sender gave the request up, or is gone. */
  readonly cancelled: boolean;
  /** Calls back when that happens; at once if it has. */
  onCancel(listener: (reason: unknown) => void): void;
  /** The request is answered for a handler that has not ended: it counts as running until it has. */
  keepRunning(handler: Promise<unknown>): void;
  /** Calls back when the request is over, answered or not; at once if it is. */
  onEnd(listener: () => void): void;
}

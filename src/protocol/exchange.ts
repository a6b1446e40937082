/** `Exchange`: the origin of one request, and the channel for messages to its sender before the response. */

import type { Params } from '../jsonrpc/message.ts';
import type { PendingRequestOptions } from '../jsonrpc/pending-requests.ts';
import type { MethodRow } from './methods.ts';
import type { Principal } from './principal.ts';
import type { Session } from './session.ts';

export interface Exchange {
  /** Row of the table `METHODS` for the request's method; undefined for custom methods. */
  readonly row: MethodRow | undefined;
  /** True if the peer is exempt from scope checks, because it owns this process (stdio, in-process). */
  readonly trusted: boolean;
  readonly session: Session | undefined;
  /** Sets the session that `initialize` created. Replaces an earlier session of the connection. */
  openSession(session: Session): void;
  readonly principal: Principal | undefined;
  /** Key under which limits count the request: the principal's key, else the client's address, else an empty string. */
  readonly caller: string;
  /** Adds `bytes` to the session's memory usage; frees them if negative. Returns false if a limit would be exceeded. */
  growSession(bytes: number): boolean;
  /** True if handlers run again after each input response, even in stateful revisions. For tests of repeated side effects. */
  readonly forceReruns: boolean;
  /** HTTP header fields, keyed by lower-case name; undefined on transports without headers. */
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** Sends a notification that belongs to the request. Does nothing after the response or a cancellation. */
  notify(method: string, params: Params): void;
  /** Sends a request to the client and resolves to the result. Undefined if the transport has no channel to the client. */
  readonly ask:
    | ((method: string, params: Params | undefined, options: PendingRequestOptions) => Promise<unknown>)
    | undefined;
  /** True for a detached call: the request was answered with a task, and input requests go to the task, not to the client. */
  readonly isDetached?: true;
  /** Reports the progress of a detached call to its task. Undefined for other calls. */
  readonly progress?: (progress: number, total?: number, message?: string) => void;
  /** True after the client cancelled the request or disconnected, or the server aborted the request. */
  readonly cancelled: boolean;
  /** Calls the listener when `cancelled` becomes true, or at once if `cancelled` is true. */
  onCancel(listener: (reason: unknown) => void): void;
  /** Counts the request against `limits.inFlight` until `handler` settles, even after the response was sent. */
  keepRunning(handler: Promise<unknown>): void;
  /** Calls the listener when the request ends, with or without a response, or at once if the request has ended. */
  onEnd(listener: () => void): void;
}

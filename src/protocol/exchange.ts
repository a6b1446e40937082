/** `Exchange`: what the transport provides for one request: where it came from, and the channel back to its sender. */

import type { Params } from '../jsonrpc/message.ts';
import type { PendingRequestOptions } from '../jsonrpc/pending-requests.ts';
import type { MethodRow } from './methods.ts';
import type { Principal } from './principal.ts';
import type { Session } from './session.ts';

/** The origin of one request, and the channel for messages that are sent before its response. */
export interface Exchange {
  /** Properties of the request's method; undefined for methods that the protocol does not have. */
  readonly row: MethodRow | undefined;
  /** True if the peer owns this process (stdio, in-process) and is therefore exempt from scope checks. */
  readonly trusted: boolean;
  /** The session of the request; undefined if there is none. */
  readonly session: Session | undefined;
  /** Makes the session that an `initialize` request created the session of the connection. */
  openSession(session: Session): void;
  readonly principal: Principal | undefined;
  /** Key of the caller to whom limits attribute the request: the principal's, otherwise the client's address. */
  readonly caller: string;
  /** Adds bytes to the memory that the session uses, or frees negative bytes. Returns false if a limit would be exceeded. */
  growSession(bytes: number): boolean;
  /** True in tests that run handlers again after each input response, on every revision. */
  readonly forceReruns: boolean;
  /** HTTP header fields of the request by lower-case name; undefined on transports without headers. */
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** Sends a notification that belongs to the request. Ignored after the response was sent. */
  notify(method: string, params: Params): void;
  /** Sends a request to the client and resolves to its result. Undefined if the client cannot be reached. */
  readonly ask:
    | ((method: string, params: Params | undefined, options: PendingRequestOptions) => Promise<unknown>)
    | undefined;
  /** True for a detached call: its request was answered with a task, which gets the input requests instead of the client. */
  readonly isDetached?: true;
  /** Called with the progress of the handler, instead of sending `notifications/progress`. */
  readonly progress?: (progress: number, total?: number, message?: string) => void;
  /** True if the client cancelled the request or disconnected. */
  readonly cancelled: boolean;
  /** Calls the listener when the request is cancelled, or at once if it is cancelled already. */
  onCancel(listener: (reason: unknown) => void): void;
  /** Counts the request against `limits.inFlight` until its handler has settled, although the response was sent before. */
  keepRunning(handler: Promise<unknown>): void;
  /** Calls the listener when the request is answered or cancelled, or at once if it already is. */
  onEnd(listener: () => void): void;
}

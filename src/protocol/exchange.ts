/** `Exchange`: one request's way back to its sender. The transport makes one per request. */

import type { Params } from '../jsonrpc/message.ts';
import type { PendingRequestOptions } from '../jsonrpc/pending-requests.ts';
import type { MethodRow } from './methods.ts';
import type { Principal } from './principal.ts';
import type { Session } from './session.ts';

/** The origin of a request, and the channel for messages that precede its response. */
export interface Exchange {
  /** The row of the request's method; undefined for methods that the protocol does not have. */
  readonly row: MethodRow | undefined;
  /** True if the peer owns the process (stdio, in-process), and so is exempt from scope checks. */
  readonly trusted: boolean;
  /** The session of the request; undefined if there is none. */
  readonly session: Session | undefined;
  /** Opens the session of an `initialize` request. */
  openSession(session: Session): void;
  readonly principal: Principal | undefined;
  /** Key under which limits count the request: of the principal, else of the client's address. */
  readonly caller: string;
  /** Adds bytes to the memory that the session uses; negative bytes free it. False if a limit would be exceeded. */
  growSession(bytes: number): boolean;
  /** True in tests that run handlers again after each input response, on every revision. */
  readonly forceReruns: boolean;
  /** Header fields by lower-case name; undefined if the transport has none. */
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** Sends a notification of the request. Ignored after the response. */
  notify(method: string, params: Params): void;
  /** Sends a request to the client and resolves to its result; undefined if the client cannot be reached. */
  readonly ask:
    | ((method: string, params: Params | undefined, options: PendingRequestOptions) => Promise<unknown>)
    | undefined;
  /** True if the request was answered with a task. Input requests then go to the task instead of the client. */
  readonly isDetached?: true;
  /** Takes the progress of the handler instead of `notifications/progress`. */
  readonly progress?: (progress: number, total?: number, message?: string) => void;
  /** True if the client cancelled the request or disconnected. */
  readonly cancelled: boolean;
  /** Calls the listener on cancellation; at once if the request is cancelled already. */
  onCancel(listener: (reason: unknown) => void): void;
  /** Counts the request against `limits.inFlight` until the handler has settled, although the response was sent. */
  keepRunning(handler: Promise<unknown>): void;
  /** Calls the listener when the request is answered or cancelled; at once if it is already. */
  onEnd(listener: () => void): void;
}

/** The interface of transports: built-in transports and those of applications implement it. */

import type { Payload } from './json/parse-message.ts';
import type { Message } from './message.ts';

/** The callbacks that a transport calls for received messages, errors and the end of the connection. */
export interface Receiver {
  /** Called with each received message or batch, as `parseMessage` or `parsePayload` returns it. */
  onMessage(payload: Payload): void;
  /** Called with an error that belongs to no call. The transport stays connected. */
  onError(error: Error): void;
  /** Called after an interruption in which messages of the peer may have been lost, except responses. */
  onMessagesMissed?(): void;
  /** Called if the peer can send messages only on response streams of requests, for instance if it refuses the GET stream. */
  onPushUnavailable?(cause: Error): void;
  /** Called once, as the last callback, when the connection has ended. `cause` is undefined if the connection ended normally. */
  onClose(cause?: Error): void;
}

/** Options of one sent message, for transports with `isRequestScoped`. Other transports ignore them. */
export interface SendOptions {
  /** Additional HTTP header fields of this message. The transport sets those of the protocol. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Aborts the exchange of this message. No callback is called after the abort, not even `onEnd`. The transport must remove its
   * listener when the exchange has ended, since the signal may be used for another exchange.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called once, when the exchange has ended and all its messages were delivered. `cause` is set if the exchange failed. A
   * request without a response by then gets none.
   */
  readonly onEnd?: ((cause?: Error) => void) | undefined;
  /** True if the request is idempotent: the transport may send it again if it does not know whether it arrived. */
  readonly repeatable?: boolean | undefined;
}

/** A bidirectional connection that carries whole messages. Errors that belong to no method call go to `receiver.onError`. */
export interface Transport {
  /** Opens the connection. May be called once. */
  connect(receiver: Receiver): Promise<void>;
  /**
   * Sends a message or a batch. If it returns a promise, the caller should wait for it before sending the next message
   * (backpressure). With `isRequestScoped`, the promise for a notification or response resolves when the peer has accepted it.
   */
  send(message: Message | readonly Message[], options?: SendOptions): void | Promise<void>;
  /** Closes the connection, after the messages that were already sent have been written. */
  disconnect(): Promise<void>;
  readonly connected: boolean;
  /** The last output on stderr of the server process that this transport started. */
  readonly stderr?: string;
  /** How a request is cancelled at present: by `notifications/cancelled`, or by ending its exchange (`SendOptions.signal`). */
  readonly cancelsBy: 'notification' | 'hang-up';
  /** True if each message has an exchange of its own, as over HTTP. An exchange ends or fails independently of the others. */
  readonly isRequestScoped?: boolean;
  /** True if the peer never receives several messages in one read, as in memory. A byte stream may deliver several at once. */
  readonly deliversSeparately?: boolean;
}

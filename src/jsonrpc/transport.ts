/** The interface of transports, built in or custom. */

import type { Payload } from './json/parse-message.ts';
import type { Message } from './message.ts';

/** The callbacks of a transport. */
export interface Receiver {
  /** Gets each received message or batch, as `parseMessage` or `parsePayload` returns it. */
  onMessage(payload: Payload): void;
  /** Gets errors that belong to no call. The transport stays connected. */
  onError(error: Error): void;
  /** Called after a gap in which messages of the peer may have been lost, other than responses. */
  onMessagesMissed?(): void;
  /** Called if the peer cannot send messages by itself, only on the response stream of a request. */
  onPushUnavailable?(cause: Error): void;
  /** Called once, when the connection has ended: with the cause, unless it ended normally. The last callback. */
  onClose(cause?: Error): void;
}

/** Options of one message, for transports with `isRequestScoped`. Other transports ignore them. */
export interface SendOptions {
  /** HTTP header fields of this message, besides those of the protocol, which the transport sets. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Ends the exchange of this message at once, without further callbacks (also without `onEnd`). The transport must stop
   * listening when the exchange has ended, since the signal may be used for another one.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called once, when the exchange has ended and all its messages are delivered: with the cause if it failed. A request
   * without a response by then gets none.
   */
  readonly onEnd?: ((cause?: Error) => void) | undefined;
  /** True if the request is idempotent, so that it may be sent again if it is unknown whether it arrived. */
  readonly repeatable?: boolean | undefined;
}

/** A bidirectional connection that carries whole messages. Errors that no method can throw go to `receiver.onError`. */
export interface Transport {
  /** Opens the connection. May be called once. */
  connect(receiver: Receiver): Promise<void>;
  /**
   * Sends a message or a batch. Returns a promise if the caller should wait before the next one (backpressure). With
   * `isRequestScoped`, the promise for a notification or response resolves when the peer has accepted it.
   */
  send(message: Message | readonly Message[], options?: SendOptions): void | Promise<void>;
  /** Closes the connection, after messages that were sent have been written. */
  disconnect(): Promise<void>;
  readonly connected: boolean;
  /** The last output of a server's process on stderr. */
  readonly stderr?: string;
  /** How a request is cancelled now: by a notification, or by ending its exchange (`SendOptions.signal`). */
  readonly cancelsBy: 'notification' | 'hang-up';
  /** True if each message has an exchange of its own, as over HTTP, which ends or fails independently of others. */
  readonly isRequestScoped?: boolean;
  /** True if the peer never gets several messages in one read, as in memory. */
  readonly deliversSeparately?: boolean;
}

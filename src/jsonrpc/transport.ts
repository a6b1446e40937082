/** The transport interface, which built-in and custom transports implement. */

import type { Payload } from './json/parse-message.ts';
import type { Message } from './message.ts';

/** Functions that a transport calls for received messages, errors and the end of the connection. */
export interface Receiver {
  /** Called with each received message or batch, as returned by `parseMessage` or `parsePayload`. */
  onMessage(payload: Payload): void;
  /** Called with an error that belongs to no call. The transport stays connected. */
  onError(error: Error): void;
  /** Called after an interruption in which requests or notifications from the peer could have been lost. */
  onMessagesMissed?(): void;
  /** Called if the peer can send messages only on response streams of requests, for instance if it refuses the GET stream. */
  onPushUnavailable?(cause: Error): void;
  /** Called once, as the last callback, when the connection has ended. `cause` is undefined after a normal end. */
  onClose(cause?: Error): void;
}

/** Options of `Transport.send` for one message. Transports without `isRequestScoped` ignore them. */
export interface SendOptions {
  /** Additional HTTP header fields. The transport itself sets the header fields of the protocol. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Aborts the exchange of this message. No callback follows the abort, not even `onEnd`. The transport must remove its
   * listener when the exchange ends, because the signal can be reused for another exchange.
   */
  readonly signal?: AbortSignal | undefined;
  /** Called once, after the last message of the exchange; no response follows. `cause` is set if the exchange failed. */
  readonly onEnd?: ((cause?: Error) => void) | undefined;
  /** True if the request is idempotent. The transport may then repeat a request whose delivery is uncertain. */
  readonly repeatable?: boolean | undefined;
}

/** A bidirectional connection for whole messages. Errors that no method call throws go to `Receiver.onError`. */
export interface Transport {
  /** Opens the connection. May be called only once. */
  connect(receiver: Receiver): Promise<void>;
  /**
   * Sends a message or batch. A returned promise signals backpressure: await it before the next `send`. With `isRequestScoped`,
   * the promise for a notification or response resolves when the peer has accepted the message.
   */
  send(message: Message | readonly Message[], options?: SendOptions): void | Promise<void>;
  /** Closes the connection after all sent messages have been written. */
  disconnect(): Promise<void>;
  readonly connected: boolean;
  /** Last stderr output of the server process that this transport started. */
  readonly stderr?: string;
  /** How to cancel a request: send `notifications/cancelled`, or abort `SendOptions.signal`. Can change after `connect`. */
  readonly cancelsBy: 'notification' | 'hang-up';
  /** True if each message has its own exchange, as over HTTP. Each exchange ends or fails independently. */
  readonly isRequestScoped?: boolean;
  /** True if the peer receives each message in a separate read. A byte stream can deliver several messages at once. */
  readonly deliversSeparately?: boolean;
}

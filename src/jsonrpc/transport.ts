/** How messages get from here to a peer: the interface every transport implements, also one of your own. */

import type { Payload } from './json/parse.ts';
import type { Message } from './message.ts';

/** What a transport tells the side that uses it. */
export interface Receiver {
  /** Something arrived: what `parseMessage` or `parsePayload` made of it. */
  onMessage(payload: Payload): void;
  /** Something went wrong that no call of ours caused; the transport lives on. */
  onError(error: Error): void;
  /** For a while nothing could be heard but answers: what the peer said unasked may have been missed. */
  onMessagesMissed?(): void;
  /** There is no way to hear what the peer says unasked, but beside the answers to calls. The cause says why. */
  onPushUnavailable?(cause: Error): void;
  /** The connection ended; called once, with the cause if there is one. Nothing arrives after it. */
  onClose(cause?: Error): void;
}

/** Extras that one message may need on its way. They are for transports with `isRequestScoped`; others ignore them. */
export interface SendOptions {
  /** Header fields of this message. Those that the protocol itself defines are the transport's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Ends the exchange this message opens, at once; nothing is told of it any more, `onEnd` included. When the exchange is
   * over by itself the signal may serve another one, so nothing may listen to it any more by then.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called once, after everything that arrived for this message was delivered and when nothing more can, with the cause
   * if the exchange failed. A request that has no answer by then gets none.
   */
  readonly onEnd?: ((cause?: Error) => void) | undefined;
  /** Carried out twice it does no more than once, so that it may be sent again if nobody knows whether it arrived. */
  readonly repeatable?: boolean | undefined;
}

/**
 * A two-way connection that moves whole messages and does its own framing.
 * What fails at once is thrown, what fails later goes to `receiver.onError`.
 */
export interface Transport {
  /** Opens the connection; from now on the receiver is told what happens. Once only. */
  connect(receiver: Receiver): Promise<void>;
  /**
   * A promise is returned when the peer is slower than we are: awaiting it is backpressure. Where messages have exchanges
   * it resolves when the peer has accepted one that wants no answer.
   */
  send(message: Message | readonly Message[], options?: SendOptions): void | Promise<void>;
  /** Closes it, after what was sent has left. */
  disconnect(): Promise<void>;
  readonly connected: boolean;
  /** What a server that is a program wrote on stderr last. */
  readonly stderr?: string;
  /** How a running request is cancelled at this moment: by a notification, or by ending its exchange (`signal`). */
  readonly cancelsBy: 'notification' | 'hang-up';
  /** True if each message opens an exchange of its own, as over HTTP: one may end, or fail, and the others go on. */
  readonly isRequestScoped?: boolean;
  /** True if the peer gets every message by itself, never several in one read, as it does within one process. */
  readonly deliversSeparately?: boolean;
}

/** How messages get from here to a peer: the interface every transport implements, also one of your own. */

import type { Message } from './message.ts';
import type { Payload } from './parse.ts';

/** What a transport tells the side that uses it. */
export interface Receiver {
  /** Something arrived: what `parseMessage` or `parsePayload` made of it. */
  onMessage(payload: Payload): void;
  /** Something went wrong that no call of ours caused; the transport lives on. */
  onError(error: Error): void;
  /** The connection ended; called once, with the cause if there is one. Nothing arrives after it. */
  onClose(cause?: Error): void;
}

/** Extras that one message may need on its way. */
export interface SendOptions {
  /** Header fields, for transports that have them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the exchange this message opens, for transports where hanging up is how one cancels. */
  readonly signal?: AbortSignal;
  /** Called when no further message can arrive for this one. */
  readonly onEnd?: (cause?: Error) => void;
}

/**
 * A two-way connection that moves whole messages and does its own framing.
 * What fails at once is thrown, what fails later goes to `receiver.onError`.
 */
export interface Transport {
  /** Opens the connection; from now on the receiver is told what happens. Once only. */
  connect(receiver: Receiver): Promise<void>;
  /** A promise is returned when the peer is slower than we are: awaiting it is backpressure. */
  send(message: Message | readonly Message[], options?: SendOptions): void | Promise<void>;
  /** Closes it, after what was sent has left. */
  disconnect(): Promise<void>;
  readonly connected: boolean;
  /** What a server that is a program wrote on stderr last. */
  readonly stderr?: string;
  /** How a running request is cancelled: by a notification, or by closing its stream. */
  readonly cancelsBy: 'notification' | 'hang-up';
}

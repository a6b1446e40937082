/** A WebSocket, whoever implements it, and what is known of its end. */

import { ConnectionError } from '../../jsonrpc/errors.ts';

/** One that is open. */
export interface Socket {
  /** Bytes that were sent and have not left. */
  readonly unsent: number;
  /** Sends one text message. */
  send(text: string): void;
  /** Reads no further until `resume`, where that can be had. */
  pause(): void;
  /** Reads again. */
  resume(): void;
  /** Begins the closing handshake, after what was sent. The reason is for people. */
  close(code: CloseCode, reason?: string): void;
  /** Ends it at once. */
  terminate(): void;
}

/** What a socket tells whoever opened it. */
export interface SocketListener {
  /** It is open; called once, before anything arrives. */
  onOpen(socket: Socket): void;
  /** A text message, in UTF-8 or decoded. */
  onText(text: Uint8Array | string): void;
  /** A message that is no text. */
  onBinary(): void;
  /** Some of what was sent has left. */
  onSent(): void;
  /** It is about to end because of this. */
  onBroken(cause: ConnectionError): void;
  /** It is gone, or was never there; called once, and nothing is told after it. */
  onEnd(cause?: ConnectionError): void;
}

/** Opens a socket and tells the listener how that went. Whoever aborts the signal does not want it any more. */
export type OpenSocket = (listener: SocketListener, signal: AbortSignal) => void | Promise<void>;

/** Why this side closes. */
export const CloseCode = {
  Normal: 1000,
  GoingAway: 1001,
  /** It takes text only. */
  Unsupported: 1003,
  /** Somebody is not, or no longer, allowed to be there. */
  Policy: 1008,
  TooBig: 1009,
} as const;

/** One of them. */
export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode];

/** Time a peer has to take what was sent and to say goodbye, in milliseconds. */
export const FAREWELL_MS = 1000;

/** More bytes than this waiting for the peer mean that it does not keep up. */
export const CONGESTED_BYTES: number = 1024 * 1024;

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [1002, 'for a breach of the WebSocket protocol'],
  [1003, 'because it takes text messages only'],
  [1007, 'for a message that was not valid UTF-8'],
  [1008, 'because its policy forbids something'],
  [1009, 'because a message was too long for it'],
  [1011, 'because something broke there'],
  [1012, 'to start again'],
  [1013, 'because it has too much to do: try again later'],
]);

/** Why a socket ended, from the code it was closed with; undefined for an end in order. */
export function causeOfEnd(code: number, error?: Error): ConnectionError | undefined {
  if (code === 1000 || code === 1001 || code === 1005) return undefined;
  const cause = error ?? new Error(`WebSocket close code ${code}`);
  const text =
    code === 1006
      ? `The connection broke (${codeOf(error) ?? 'without a word'})`
      : `The other side closed the connection ${MEANINGS.get(code) ?? 'for a reason of its own'} (${code})`;
  return new ConnectionError('closed', text, { cause });
}

/** The code of a system's error. */
export function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

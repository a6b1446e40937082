/** `Socket`: the interface to all WebSocket implementations, and the errors for close codes. */

import { ConnectionError } from '../../jsonrpc/errors.ts';

export interface Socket {
  /** Bytes that were sent and have not left this process. */
  readonly unsent: number;
  send(text: string): void;
  /** Stops reading until `resume`. No effect for built-in WebSockets, which cannot pause. */
  pause(): void;
  resume(): void;
  /** Starts the closing handshake after all sent messages. Built-in WebSockets do not send `reason`. */
  close(code: CloseCode, reason?: string): void;
  /** Ends the connection at once, without waiting for the closing handshake. */
  terminate(): void;
}

export interface SocketListener {
  /** Called once when the connection is open, before any message. */
  onOpen(socket: Socket): void;
  /** Called with a text message, as UTF-8 bytes or as a string. */
  onText(text: Uint8Array | string): void;
  onBinary(): void;
  /** Called when sent bytes have left, and regularly while a built-in WebSocket has backpressure. */
  onSent(): void;
  /** Called with the error that will end the connection. */
  onBroken(cause: ConnectionError): void;
  /** Called once, as the last callback, when the connection has ended or could not be opened. */
  onEnd(cause?: ConnectionError): void;
}

/** Opens a WebSocket and reports to `listener`. Aborting `signal` abandons the opening handshake. */
export type OpenSocket = (listener: SocketListener, signal: AbortSignal) => void | Promise<void>;

/** Close codes that this package sends (RFC 6455, section 7.4.1). */
export const CloseCode = {
  Normal: 1000,
  GoingAway: 1001,
  /** The peer sent a binary message. */
  Unsupported: 1003,
  /** The token of the client has expired, or the client sent too many unreadable messages. */
  Policy: 1008,
  TooBig: 1009,
} as const;

export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode];

/** Time for the peer to read sent messages and to complete the closing handshake, in milliseconds. */
export const FAREWELL_MS = 1000;

/** Backpressure begins when more than this number of bytes waits for the peer. */
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

/** Returns the error for a close code; undefined for a normal end (1000, 1001 or 1005). */
export function causeOfEnd(code: number, error?: Error): ConnectionError | undefined {
  if (code === 1000 || code === 1001 || code === 1005) return undefined;
  const cause = error ?? new Error(`WebSocket close code ${code}`);
  const text =
    code === 1006
      ? `The connection broke (${codeOf(error) ?? 'without a word'})`
      : `The other side closed the connection ${MEANINGS.get(code) ?? 'for a reason of its own'} (${code})`;
  return new ConnectionError('closed', text, { cause });
}

/** Returns the code of a system error, such as `ECONNRESET`; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

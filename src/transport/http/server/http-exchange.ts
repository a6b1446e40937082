/** One HTTP request and its answer, whichever face it came in by. */

import type { HttpRequest } from '../../../protocol/http/authenticate.ts';
import type { ConnectionLoad, Sink } from './unflushed.ts';

/** Header fields of an answer. */
export type Fields = Readonly<Record<string, string>>;

/** Every answer has it: no browser guesses another media type than the one that is declared. */
export const NO_SNIFFING: Fields = { 'x-content-type-options': 'nosniff' };

/** What came as a body: bytes, what a framework made of them already, or why there is none. */
export type Body =
  | Uint8Array
  | { readonly parsed: unknown }
  | 'too large'
  | 'too slow'
  | 'no room'
  | 'cut off'
  | 'read already';

/** How much of a body is waited for. */
export interface BodyLimits {
  readonly bytes: number;
  readonly milliseconds: number;
  /** Counts bytes of a body that arrives in pieces; false if there is no room for them. */
  hasRoom(bytes: number): boolean;
}

/** What a face offers: it is answered once, in one piece or as a stream. */
export interface HttpExchange extends HttpRequest {
  /** It came through an encrypted connection. */
  readonly isSecure: boolean;
  /** The address of the client, as the connection has it. */
  readonly address: string | undefined;
  /** What is counted for the connection, where it is known. */
  readonly connection: ConnectionLoad | undefined;
  /** Characters of all header fields. */
  readonly headerBytes: number;
  /** All header fields, in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Reads the body, once. Nothing is kept of a body that is too large. */
  readBody(limits: BodyLimits, done: (body: Body) => void): void;
  /** Answers in one piece. Returns what is left to be taken by the client, if it is known and more than nothing. */
  reply(status: number, fields: Fields, body?: string): Sink | undefined;
  /** Answers with a stream of text. */
  stream(fields: Fields): Outlet;
  /** Calls back when the answer has ended or the client is gone; soon, if that was before. */
  onClose(listener: () => void): void;
}

/** The answer as it is being written. */
export interface Outlet extends Sink {
  write(text: string): void;
  /** Nothing more comes. */
  end(): void;
  /** The client is gone, or the answer has ended. */
  readonly closed: boolean;
  /** What is counted for the connection, where it is known. */
  readonly connection: ConnectionLoad | undefined;
}

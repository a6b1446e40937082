/** One HTTP request and its answer, whichever face it came in by. */

import type { HttpRequest } from '../../../protocol/http-request.ts';

/** Header fields of an answer. */
export type Fields = Readonly<Record<string, string>>;

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
  /** Is told how many bytes arrived; false if there is no room for them. */
  hasRoom(bytes: number): boolean;
}

/** What a face offers: it is answered once, in one piece or as a stream. */
export interface HttpExchange extends HttpRequest {
  /** It came through an encrypted connection. */
  readonly isSecure: boolean;
  /** All header fields, in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Reads the body, once. Nothing is kept of a body that is too large. */
  readBody(limits: BodyLimits, done: (body: Body) => void): void;
  /** Answers in one piece. */
  reply(status: number, fields: Fields, body?: string): void;
  /** Answers with a stream of text. */
  stream(fields: Fields): Outlet;
  /** Calls back when the answer has ended or the client is gone; soon, if that was before. */
  onClose(listener: () => void): void;
}

/** The answer as it is being written. */
export interface Outlet {
  write(text: string): void;
  /** Nothing more comes. */
  end(): void;
  /** Breaks the connection off, with what was not taken yet. */
  cut(): void;
  /** Bytes that were written and not taken by the client. */
  readonly waiting: number;
  /** The client is gone, or the answer has ended. */
  readonly closed: boolean;
}

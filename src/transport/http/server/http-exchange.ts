/** `HttpExchange`: one HTTP request and its response, independent of the runtime. */

import type { HttpRequest } from '../../../protocol/http/authenticate.ts';
import type { ConnectionLoad, Sink } from './unflushed.ts';

/** Header fields of a response, keyed by lower-case name. */
export type Fields = Readonly<Record<string, string>>;

/** Header field of every response: browsers must not guess another media type than the declared one. */
export const NO_SNIFFING: Fields = { 'x-content-type-options': 'nosniff' };

/** A request body: bytes, a value that a framework has parsed, or the reason why there is none. */
export type Body =
  | Uint8Array
  | { readonly parsed: unknown }
  | 'too large'
  | 'too slow'
  | 'no room'
  | 'cut off'
  | 'read already';

/** Limits for one request body: size in bytes, time in milliseconds, and memory shared by all bodies. */
export interface BodyLimits {
  readonly bytes: number;
  readonly milliseconds: number;
  /** Reserves memory for received bytes. Returns false if the shared memory limit does not allow that. */
  hasRoom(bytes: number): boolean;
}

/** One HTTP request, which gets one response: by `reply` or by `stream`. */
export interface HttpExchange extends HttpRequest {
  /** True if the request arrived over TLS. */
  readonly isSecure: boolean;
  /** Remote address of the connection; undefined if the runtime does not expose it. */
  readonly address: string | undefined;
  /** Counters of the connection; undefined if the runtime does not expose connections. */
  readonly connection: ConnectionLoad | undefined;
  /** Total length of the names and values of all header fields, in characters. */
  readonly headerBytes: number;
  /** All header fields, keyed by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** Reads the body, at most once per request. `done` gets the body, or the reason why there is none. */
  readBody(limits: BodyLimits, done: (body: Body) => void): void;
  /** Sends a complete response. Returns a `Sink` if the runtime shows that some of its bytes are not sent yet. */
  reply(status: number, fields: Fields, body?: string): Sink | undefined;
  /** Starts a streamed response with status 200. */
  stream(fields: Fields): Outlet;
  /** Calls `listener` when the response has ended or the client has disconnected, or soon if that has already happened. */
  onClose(listener: () => void): void;
}

export interface Outlet extends Sink {
  write(text: string): void;
  end(): void;
  /** True if the response has ended or the client has disconnected. */
  readonly closed: boolean;
  readonly connection: ConnectionLoad | undefined;
}

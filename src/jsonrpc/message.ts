/** JSON-RPC 2.0 messages and their serialization. */

import { findUnencodable } from './json/unencodable.ts';

/** A request id. Numbers are safe integers. `1` and `'1'` are different ids. */
export type Id = string | number;

/** The `params` of an MCP message, which are always an object. */
export type Params = Readonly<Record<string, unknown>>;

/** A message that expects a response. */
export interface Request {
  readonly jsonrpc: '2.0';
  readonly id: Id;
  readonly method: string;
  readonly params?: Params | readonly unknown[];
}

/** A message that expects no response. */
export interface Notification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: Params | readonly unknown[];
}

/** The response to a request that succeeded. */
export interface ResultResponse {
  readonly jsonrpc: '2.0';
  readonly id: Id;
  readonly result: unknown;
}

/** The member `error` of an error response. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The response to a request that failed. `id` is absent or null if the id of the request could not be read. */
export interface ErrorResponse {
  readonly jsonrpc: '2.0';
  readonly id?: Id | null;
  readonly error: ErrorObject;
}

/** A successful response or an error response. */
export type Response = ResultResponse | ErrorResponse;

/** A JSON-RPC message: a request, a notification or a response. */
export type Message = Request | Notification | Response;

/** A result as JSON text, so that a list for many clients is serialized only once. */
export class EncodedJson {
  readonly text: string;
  /** The value that `text` encodes. If undefined, `toJSON` parses `text`. */
  readonly value: unknown;

  constructor(text: string, value?: object) {
    this.text = text;
    this.value = value;
  }

  /** Returns the value, for `JSON.stringify`. `serialize` inserts `text` instead. */
  toJSON(): unknown {
    return this.value ?? JSON.parse(this.text);
  }
}

/** True for a request, which expects a response: the message has a method and an id. */
export function isRequest(message: Message): message is Request {
  return 'method' in message && 'id' in message;
}

/** True for a notification, which expects no response: the message has a method and no id. */
export function isNotification(message: Message): message is Notification {
  return 'method' in message && !('id' in message);
}

/** True for a response, whether the request succeeded or failed: the message has no method. */
export function isResponse(message: Message): message is Response {
  return !('method' in message);
}

/** True for the response to a request that failed: the message has an `error`. */
export function isErrorResponse(message: Message): message is ErrorResponse {
  return 'error' in message;
}

/** Serializes a message or batch as JSON without line breaks. Throws a TypeError that names the place of a BigInt or cycle. */
export function serialize(message: Message | readonly Message[]): string {
  if (isBatch(message)) return `[${message.map(serialize).join(',')}]`;
  if ('result' in message && message.result instanceof EncodedJson) {
    return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${message.result.text}}`;
  }
  try {
    return JSON.stringify(message);
  } catch (cause) {
    const why = findUnencodable(message);
    throw why === undefined ? cause : new TypeError(`A message cannot be written as JSON: ${why}`, { cause });
  }
}

/** Serializes a message or batch as one line of JSON that ends with a line feed. */
export function serializeLine(message: Message | readonly Message[]): string {
  return `${serialize(message)}\n`;
}

export function isBatch<M>(payload: M | readonly M[]): payload is readonly M[] {
  return Array.isArray(payload);
}

/** True for an object that is neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

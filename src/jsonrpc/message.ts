/** JSON-RPC 2.0 messages and their serialization. */

import { findUnencodable } from './json/unencodable.ts';

/** A request id. Numbers are safe integers; `1` and `'1'` are different ids. */
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

/** A response, successful or not. */
export type Response = ResultResponse | ErrorResponse;

/** A JSON-RPC message. */
export type Message = Request | Notification | Response;

/** A result that is already serialized: a list that is sent to many clients is serialized only once. */
export class EncodedJson {
  readonly text: string;
  /** The value that `text` encodes, if it is known. */
  readonly value: unknown;

  constructor(text: string, value?: object) {
    this.text = text;
    this.value = value;
  }

  /** Returns the value, for code that serializes the message with `JSON.stringify`. `serialize` writes `text`. */
  toJSON(): unknown {
    return this.value ?? JSON.parse(this.text);
  }
}

/** True for a message with a method and an id. */
export function isRequest(message: Message): message is Request {
  return 'method' in message && 'id' in message;
}

/** True for a message with a method and no id. */
export function isNotification(message: Message): message is Notification {
  return 'method' in message && !('id' in message);
}

/** True for a message without a method. */
export function isResponse(message: Message): message is Response {
  return !('method' in message);
}

/** True for a response with an `error`. */
export function isErrorResponse(message: Message): message is ErrorResponse {
  return 'error' in message;
}

/** Serializes a message or batch as JSON, without line breaks. Throws a TypeError with the place of a value that JSON lacks. */
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

/** Serializes a message or batch as one line: its JSON and a line feed. */
export function serializeLine(message: Message | readonly Message[]): string {
  return `${serialize(message)}\n`;
}

/** True for a batch, which is an array of messages. */
export function isBatch<M>(payload: M | readonly M[]): payload is readonly M[] {
  return Array.isArray(payload);
}

/** True for an object that is neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

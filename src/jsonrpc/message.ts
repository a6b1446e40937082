/** JSON-RPC 2.0 messages as plain data, and how they are written. */

import { findUnencodable } from './json/unencodable.ts';

/** A request id. Numbers are safe integers; a number and a string that look alike are different ids. */
export type Id = string | number;

/** What JSON-RPC allows as `params`. MCP uses objects only. */
export type Params = Readonly<Record<string, unknown>>;

/** A call that wants an answer. */
export interface Request {
  readonly jsonrpc: '2.0';
  readonly id: Id;
  readonly method: string;
  readonly params?: Params | readonly unknown[];
}

/** A message that wants no answer. */
export interface Notification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: Params | readonly unknown[];
}

/** The answer of a call that worked. */
export interface ResultResponse {
  readonly jsonrpc: '2.0';
  readonly id: Id;
  readonly result: unknown;
}

/** `error` of an error response. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The answer of a call that failed. `id` is absent or null when the request's id could not be read. */
export interface ErrorResponse {
  readonly jsonrpc: '2.0';
  readonly id?: Id | null;
  readonly error: ErrorObject;
}

/** Either answer. */
export type Response = ResultResponse | ErrorResponse;

/** Anything that travels between two peers. */
export type Message = Request | Notification | Response;

/** A part of a message that is JSON text already, so that what never changes is encoded once. */
export class EncodedJson {
  readonly text: string;
  /** What it was made of, where that is known: plain data that says the same. */
  readonly value: unknown;

  constructor(text: string, value?: object) {
    this.text = text;
    this.value = value;
  }

  /** For those who look inside; the wire takes `text` as it is. */
  toJSON(): unknown {
    return this.value ?? JSON.parse(this.text);
  }
}

/** True for a message that wants an answer. */
export function isRequest(message: Message): message is Request {
  return 'method' in message && 'id' in message;
}

/** True for a message with a method and no id. */
export function isNotification(message: Message): message is Notification {
  return 'method' in message && !('id' in message);
}

/** True for an answer, good or bad. */
export function isResponse(message: Message): message is Response {
  return !('method' in message);
}

/** True for an answer that carries an error. */
export function isErrorResponse(message: Message): message is ErrorResponse {
  return 'error' in message;
}

/** A message as JSON text, without a line end. JSON escapes newlines, so there is never one inside. */
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

/** A message as one line: JSON text and `\n`. */
export function serializeLine(message: Message | readonly Message[]): string {
  return `${serialize(message)}\n`;
}

/** True for several messages sent as one. */
export function isBatch<M>(payload: M | readonly M[]): payload is readonly M[] {
  return Array.isArray(payload);
}

/** True for a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

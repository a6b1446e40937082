/** Parses JSON text into messages. The functions never throw, and error messages never contain received text. */

import { ParseError, type ParseErrorCode } from '../errors.ts';
import {
  type ErrorObject,
  type Id,
  isBatch,
  isNotification,
  isObject,
  type Message,
  type Notification,
  type Request,
} from '../message.ts';
import { MAX_BATCH, MAX_ID_LENGTH } from './message-limits.ts';

/** The messages of a batch. Each unreadable message is a `ParseError`. */
export type Batch = readonly (Message | ParseError)[];

/** A received message or batch; a `ParseError` if the received text is not valid. */
export type Payload = Message | ParseError | Batch;

/** True if the payload is a `ParseError` instead of a message, even one from another copy of this package. */
export function isUnreadable(payload: Payload): payload is ParseError {
  return payload instanceof Error;
}

/** Returns `payload` if it is a single request or notification; otherwise undefined. */
export function messageObjectOf(payload: Payload): Request | Notification | undefined {
  return isBatch(payload) || isUnreadable(payload) || !('method' in payload) ? undefined : payload;
}

/** Parses one message. Returns a `ParseError` for a batch, which only `parsePayload` accepts. */
export function parseMessage(text: string): Message | ParseError {
  const payload = parsePayload(text);
  return Array.isArray(payload)
    ? new ParseError('BatchNotSupported', 'Expected one message, got a batch: use parsePayload')
    : (payload as Message | ParseError);
}

/** Parses a message, or a batch of at most `maxBatch` messages (default: 100). */
export function parsePayload(text: string, maxBatch: number = MAX_BATCH): Payload {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of the SyntaxError is not used, because it quotes the received text.
    return new ParseError('MalformedJson', 'Parse error: the message is not valid JSON');
  }
  const payload = checkPayload(value, maxBatch);
  return mayHaveInfiniteNumbers(text) ? refuseInfinite(payload) : payload;
}

/** Replaces messages that contain Infinity (parsed from `1e999`) with errors: `JSON.stringify` would write Infinity as null. */
export function refuseInfinite(payload: Payload): Payload {
  return isBatch(payload) ? payload.map(finiteOrError) : finiteOrError(payload);
}

function finiteOrError(message: Message | ParseError): Message | ParseError {
  if (message instanceof ParseError || isFiniteThroughout(message)) return message;
  const value = message as unknown as Record<string, unknown>;
  const problem = 'a number is beyond the range of a double, such as 1e999';
  if (!isNotification(message)) return refusal(value, 'NumberOutOfRange', problem);
  return new ParseError('NumberOutOfRange', `Invalid notification: ${problem}`, undefined, false, true);
}

// Matches exponents with which a short number can overflow to Infinity: three digits, or `+` and two digits. With a smaller
// exponent, only a number of `MANY_DIGITS` or more digits overflows.
const LARGE_EXPONENT = /\d[eE][+\d]\d\d/;
const MANY_DIGITS = 200;

/** True if a number in JSON text could overflow to Infinity. Faster than `isFiniteThroughout`, but has false positives. */
export function mayHaveInfiniteNumbers(text: string): boolean {
  // Tests every 200th character: a run of 200 digits contains one of these characters.
  for (let at = MANY_DIGITS - 1; at < text.length; at += MANY_DIGITS) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) return true;
  }
  return LARGE_EXPONENT.test(text);
}

export function isFiniteThroughout(value: unknown): boolean {
  // Not recursive, because a deeply nested value would overflow the stack.
  const open: unknown[] = [[value]];
  while (open.length > 0) {
    const container = open.pop() as object;
    for (const inner of Array.isArray(container) ? container : Object.values(container)) {
      if (typeof inner === 'number' && !Number.isFinite(inner)) return false;
      if (typeof inner === 'object' && inner !== null) open.push(inner);
    }
  }
  return true;
}

export function checkPayload(value: unknown, maxBatch: number = MAX_BATCH): Payload {
  if (!Array.isArray(value)) return checkMessage(value);
  if (value.length === 0) return new ParseError('EmptyBatch', 'Invalid request: the batch is empty');
  if (value.length > maxBatch) {
    return new ParseError('BatchTooLarge', `Invalid request: a batch may hold at most ${maxBatch} messages`);
  }
  return value.map(checkMessage);
}

/** Returns `value` if it is a valid JSON-RPC message; otherwise a `ParseError`. */
export function checkMessage(value: unknown): Message | ParseError {
  if (!isObject(value)) return notAnObject();
  if (!has(value, 'jsonrpc')) return refusal(value, 'MissingJsonrpc', '"jsonrpc" is missing');
  if (value['jsonrpc'] !== '2.0') return refusal(value, 'InvalidJsonrpcVersion', '"jsonrpc" must be "2.0"');
  return hasOutcome(value) ? checkResponse(value) : checkCall(value);
}

export function notAnObject(): ParseError {
  return new ParseError('NotAnObject', 'Invalid request: a message must be a JSON object');
}

function hasOutcome(value: Record<string, unknown>): boolean {
  return !has(value, 'method') && (has(value, 'result') || has(value, 'error'));
}

function refusal(value: Record<string, unknown>, code: ParseErrorCode, message: string): ParseError {
  const isResponse = hasOutcome(value);
  const id = has(value, 'id') && isId(value['id']) ? value['id'] : undefined;
  return new ParseError(code, `Invalid ${isResponse ? 'response' : 'request'}: ${message}`, id, isResponse);
}

function checkCall(value: Record<string, unknown>): Message | ParseError {
  if (has(value, 'id') && !isId(value['id'])) return refusal(value, 'InvalidIdType', INVALID_ID);
  if (!has(value, 'method')) return refusal(value, 'MissingMethod', '"method" is missing');
  if (typeof value['method'] !== 'string') return refusal(value, 'InvalidMethodType', '"method" must be a string');
  if (has(value, 'result') || has(value, 'error')) {
    return refusal(value, 'MethodAndResult', 'a message has either "method" or "result" or "error"');
  }
  if (has(value, 'params') && (typeof value['params'] !== 'object' || value['params'] === null)) {
    if (has(value, 'id')) return refusal(value, 'InvalidParamsType', '"params" must be an object or an array');
    // A notification gets no error response. Its invalid params become an empty array, which the method's params check refuses.
    return { jsonrpc: '2.0', method: value['method'], params: [] };
  }
  return value as unknown as Message;
}

function checkResponse(value: Record<string, unknown>): Message | ParseError {
  const { id, result, error } = value;
  const isError = has(value, 'error');
  if (isError && has(value, 'result'))
    return refusal(value, 'ResultAndError', 'a response has either "result" or "error"');
  if (isError && !isErrorObject(error)) return refusal(value, 'InvalidErrorObject', INVALID_ERROR);
  // An error response without an id, or with id null, is valid: the peer could not read the id of the request.
  if (!has(value, 'id')) {
    return isError ? (value as unknown as Message) : refusal(value, 'MissingId', '"id" is missing');
  }
  if (!isId(id) && !(isError && id === null)) {
    return refusal(value, 'InvalidIdType', INVALID_ID);
  }
  if (!isError && !isObject(result)) return refusal(value, 'InvalidResultType', '"result" must be an object');
  return value as unknown as Message;
}

const INVALID_ID = `"id" must be an integer or a string of at most ${MAX_ID_LENGTH} characters`;
const INVALID_ERROR = '"error" must be an object with an integer "code" and a string "message"';

// Ignores inherited properties such as `toString`, unlike the `in` operator.
function has(value: Record<string, unknown>, key: string): boolean {
  return Object.hasOwn(value, key);
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' ? value.length <= MAX_ID_LENGTH : Number.isSafeInteger(value);
}

function isErrorObject(value: unknown): value is ErrorObject {
  return isObject(value) && Number.isInteger(value['code']) && typeof value['message'] === 'string';
}

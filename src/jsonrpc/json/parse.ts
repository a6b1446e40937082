/** Text to messages. Nothing here throws, and no text that is refused is ever repeated. */

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
import { isFiniteThroughout, mayHaveInfiniteNumbers } from './finite-numbers.ts';

/** What came as one array: messages, and the reasons why others could not be read. */
export type Batch = readonly (Message | ParseError)[];

/** What one piece of text held: a message, several, or the reason it could not be read. */
export type Payload = Message | ParseError | Batch;

/** True for what could not be read. Also for what another copy of this package could not read. */
export function isUnreadable(payload: Payload): payload is ParseError {
  return payload instanceof Error;
}

/** The request or notification that this is; undefined for answers, batches and what could not be read. */
export function messageObjectOf(payload: Payload): Request | Notification | undefined {
  return isBatch(payload) || isUnreadable(payload) || !('method' in payload) ? undefined : payload;
}

const MAX_ID_LENGTH = 1024;

/** Reads one message. A batch is refused: `parsePayload` reads those. */
export function parseMessage(text: string): Message | ParseError {
  const payload = parsePayload(text);
  return Array.isArray(payload)
    ? new ParseError('BatchNotSupported', 'Expected one message, got a batch')
    : (payload as Message | ParseError);
}

/** Reads a message or a batch of at most `maxBatch` messages. */
export function parsePayload(text: string, maxBatch = 100): Payload {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The engine's own message quotes the text, so it is not passed on.
    return new ParseError('MalformedJson', 'Parse error: the message is not valid JSON');
  }
  const payload = checkPayload(value, maxBatch);
  return mayHaveInfiniteNumbers(text) ? refuseInfinite(payload) : payload;
}

/** Refuses the messages that have a number beyond the range of a double. */
export function refuseInfinite(payload: Payload): Payload {
  return isBatch(payload) ? payload.map(finiteOrRefused) : finiteOrRefused(payload);
}

function finiteOrRefused(message: Message | ParseError): Message | ParseError {
  if (message instanceof ParseError || isFiniteThroughout(message)) return message;
  const value = message as unknown as Record<string, unknown>;
  const problem = 'a number is beyond the range of a double, such as 1e999';
  if (!isNotification(message)) return refusal(value, 'NumberOutOfRange', problem);
  return new ParseError('NumberOutOfRange', `Invalid notification: ${problem}`, undefined, false, true);
}

/** The same for JSON that was parsed already. */
export function checkPayload(value: unknown, maxBatch = 100): Payload {
  if (!Array.isArray(value)) return checkMessage(value);
  if (value.length === 0) return new ParseError('EmptyBatch', 'Invalid request: the batch is empty');
  if (value.length > maxBatch) {
    return new ParseError('BatchTooLarge', `Invalid request: a batch may hold at most ${maxBatch} messages`);
  }
  return value.map(checkMessage);
}

/** Checks that a JSON value is a JSON-RPC message. */
export function checkMessage(value: unknown): Message | ParseError {
  if (!isObject(value)) return notAnObject();
  if (!has(value, 'jsonrpc')) return refusal(value, 'MissingJsonrpc', '"jsonrpc" is missing');
  if (value['jsonrpc'] !== '2.0') return refusal(value, 'InvalidJsonrpcVersion', '"jsonrpc" must be "2.0"');
  return isAnswer(value) ? checkResponse(value) : checkCall(value);
}

/** The fault of a JSON value that is no object. */
export function notAnObject(): ParseError {
  return new ParseError('NotAnObject', 'Invalid request: a message must be a JSON object');
}

function isAnswer(value: Record<string, unknown>): boolean {
  return !has(value, 'method') && (has(value, 'result') || has(value, 'error'));
}

function refusal(value: Record<string, unknown>, code: ParseErrorCode, message: string): ParseError {
  const isResponse = isAnswer(value);
  const id = has(value, 'id') && isId(value['id']) ? value['id'] : undefined;
  return new ParseError(code, `Invalid ${isResponse ? 'response' : 'request'}: ${message}`, id, isResponse);
}

function checkCall(value: Record<string, unknown>): Message | ParseError {
  if (has(value, 'id') && !isId(value['id'])) {
    return refusal(
      value,
      'InvalidIdType',
      `"id" must be an integer or a string of at most ${MAX_ID_LENGTH} characters`,
    );
  }
  if (!has(value, 'method')) return refusal(value, 'MissingMethod', '"method" is missing');
  if (typeof value['method'] !== 'string') return refusal(value, 'InvalidMethodType', '"method" must be a string');
  if (has(value, 'result') || has(value, 'error')) {
    return refusal(value, 'MethodAndResult', 'a message has either "method" or "result" or "error"');
  }
  if (has(value, 'params') && (typeof value['params'] !== 'object' || value['params'] === null)) {
    if (has(value, 'id')) return refusal(value, 'InvalidParamsType', '"params" must be an object or an array');
    // A notification is never answered. An empty array is refused like any params of MCP that are not an object.
    return { jsonrpc: '2.0', method: value['method'], params: [] };
  }
  return value as unknown as Message;
}

function checkResponse(value: Record<string, unknown>): Message | ParseError {
  if (has(value, 'result') && has(value, 'error')) {
    return refusal(value, 'ResultAndError', 'a response has either "result" or "error"');
  }
  if (has(value, 'error')) {
    if (!isErrorObject(value['error'])) {
      return refusal(
        value,
        'InvalidErrorObject',
        '"error" must be an object with an integer "code" and a string "message"',
      );
    }
    // An error about a message whose id could not be read has none, or null.
    if (has(value, 'id') && value['id'] !== null && !isId(value['id'])) {
      return refusal(value, 'InvalidIdType', '"id" must be an integer or a string');
    }
    return value as unknown as Message;
  }
  if (!has(value, 'id')) return refusal(value, 'MissingId', '"id" is missing');
  if (!isId(value['id'])) return refusal(value, 'InvalidIdType', '"id" must be an integer or a string');
  if (!isObject(value['result'])) return refusal(value, 'InvalidResultType', '"result" must be an object');
  return value as unknown as Message;
}

// Only members the sender wrote count: nothing is taken from a prototype.
function has(value: Record<string, unknown>, key: string): boolean {
  return Object.hasOwn(value, key);
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' ? value.length <= MAX_ID_LENGTH : Number.isSafeInteger(value);
}

function isErrorObject(value: unknown): value is ErrorObject {
  return isObject(value) && Number.isInteger(value['code']) && typeof value['message'] === 'string';
}

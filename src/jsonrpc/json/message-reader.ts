/** Reads messages from bytes or text. JSON that exceeds a limit is refused before `JSON.parse` creates objects from it. */

import { ParseError } from '../errors.ts';
import { isBatch } from '../message.ts';
import {
  isOpening,
  isSpace,
  isWorthScanning,
  jsonLimitFault,
  malformed,
  peekEnvelope,
  skipSpace,
} from './json-scan.ts';
import { JSON_LIMITS, MAX_UNREADABLE, type ReceivedLimits, SHORTEST_MESSAGE } from './message-limits.ts';
import { type Batch, isUnreadable, notAnObject, type Payload, parsePayload } from './parse-message.ts';

const BYTE_ORDER_MARK = 0xfeff;
const OPEN_OBJECT = 0x7b;

const decoder = new TextDecoder('utf-8', { fatal: true });
const encoder = new TextEncoder();
// Shared, so that a flood of text that is not JSON allocates no error objects.
const NOT_JSON = Object.freeze(malformed('the message is not valid JSON'));
const NOT_AN_OBJECT = Object.freeze(notAnObject());
// Matches JSON primitives, except numbers with fraction or exponent, and strings with escapes or non-ASCII characters.
const PRIMITIVE = /^\s*(?:true|false|null|-?\d+|"[ !#-[\]-~]*")\s*$/;

/** Reads a message or batch from UTF-8 bytes, ignoring a byte order mark. Only text that begins with `{` or `[` is parsed. */
export function readPayload(bytes: Uint8Array, limits: ReceivedLimits = JSON_LIMITS): Payload {
  const start = skipSpace(bytes, bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0);
  if (!isOpening(bytes[start])) return unparsed(bytes);
  if (isWorthScanning(bytes.length, limits)) {
    const fault = jsonLimitFault(bytes, limits);
    if (fault) return fault;
  }
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return withEnvelope(malformed('the message is not valid UTF-8'), bytes);
  }
  const payload = parsePayload(text);
  return isMalformed(payload) ? withEnvelope(payload, bytes) : payload;
}

/** Reads a message or batch from a string, by the rules of `readPayload`. */
export function readText(text: string, limits: ReceivedLimits = JSON_LIMITS): Payload {
  if (text.charCodeAt(0) !== OPEN_OBJECT && !isOpening(firstCharacter(text))) return unparsed(encoder.encode(text));
  if (isWorthScanning(text.length, limits)) {
    const fault = jsonLimitFault(encoder.encode(text), limits);
    if (fault) return fault;
  }
  const payload = parsePayload(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
  return isMalformed(payload) ? withEnvelope(payload, encoder.encode(text)) : payload;
}

// Returns the error for text without `{` or `[` at its start, with the id of a response that follows other output, if any.
function unparsed(bytes: Uint8Array): ParseError {
  if (bytes.length >= SHORTEST_MESSAGE) return withEnvelope(NOT_JSON, bytes);
  return PRIMITIVE.test(String.fromCharCode(...bytes)) ? NOT_AN_OBJECT : NOT_JSON;
}

function firstCharacter(text: string): number {
  let at = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  while (isSpace(text.charCodeAt(at))) at++;
  return text.charCodeAt(at);
}

function isMalformed(payload: Payload): payload is ParseError {
  return payload instanceof ParseError && payload.code === 'MalformedJson';
}

// Adds the id of a malformed response to the error, so that the waiting call fails at once. Adds no id for requests.
function withEnvelope(fault: ParseError, bytes: Uint8Array): ParseError {
  const { id, isResponse } = peekEnvelope(bytes);
  return isResponse ? new ParseError(fault.code, fault.message, id, true) : fault;
}

/** Reads the messages of one connection or stream, and counts consecutive unreadable messages. */
export class MessageReader {
  readonly #limits: ReceivedLimits;
  #unreadable = 0;

  constructor(limits: ReceivedLimits = JSON_LIMITS) {
    this.#limits = limits;
  }

  /** Number of consecutive unreadable messages, including those in batches. A readable message or batch resets it to 0. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Reads a message or batch. Returns undefined for text below 29 characters after 1,000 consecutive unreadable messages. */
  read(content: string | Uint8Array): Payload | undefined {
    if (this.#unreadable >= MAX_UNREADABLE && content.length < SHORTEST_MESSAGE) return undefined;
    const payload = typeof content === 'string' ? readText(content, this.#limits) : readPayload(content, this.#limits);
    this.count(payload);
    return payload;
  }

  /** Counts a payload: adds its unreadable messages to `unreadable`, or resets `unreadable` to 0 if all are readable. */
  count(payload: Payload): void {
    const unreadable = isBatch(payload)
      ? (payload as Batch).filter(isUnreadable).length
      : Number(isUnreadable(payload));
    this.#unreadable = unreadable > 0 ? this.#unreadable + unreadable : 0;
  }
}

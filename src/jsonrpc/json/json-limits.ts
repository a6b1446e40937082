/** Bytes to messages, with hostile JSON refused before `JSON.parse` builds it. */

import { ParseError, type ParseErrorCode } from '../errors.ts';
import type { Id } from '../message.ts';
import { NameCount } from './name-count.ts';
import { notAnObject, type Payload, parsePayload } from './parse.ts';

/** How much structure one message may have. Messages of less than 4 KiB are held to what is less than the defaults. */
export interface JsonLimits {
  /** Objects and arrays inside each other, the message itself included. */
  readonly depth: number;
  /** Array elements and object members of the whole message, counted as its commas and opening brackets. */
  readonly elements: number;
}

/** What a message may have unless somebody says otherwise. */
export const JSON_LIMITS: JsonLimits = { depth: 64, elements: 100_000 };

/** Limits of the messages that a client receives: their structure counts in bytes, as their text does. */
export interface ReceivedLimits extends JsonLimits {
  /** Bytes that all elements may count for. */
  readonly structureBytes?: number | undefined;
  /** The option that sets the limit. */
  readonly option?: string | undefined;
}

/** A client limits the bytes of a message, with this option, and as many bytes of its structure, at least 1 MiB. */
export function receivedLimits(messageBytes: number, option: string): ReceivedLimits {
  const structureBytes = Math.max(messageBytes, LEAST_STRUCTURE_BYTES);
  return { depth: JSON_LIMITS.depth, elements: Number.POSITIVE_INFINITY, structureBytes, option };
}

// What each counts for, by the time it takes to parse: 16 MiB of any of them take less than a quarter of a second.
const ELEMENT_BYTES = 8;
const STRING_BYTES = 40;
const CONTAINER_BYTES = 80;
const NEW_NAME_BYTES = 160;
// In a message shorter than this there is no room for too many names.
const COUNT_NAMES_FROM = 512 * 1024;
const LEAST_STRUCTURE_BYTES = 1024 * 1024;

// Text this short cannot nest or branch enough to hurt: the scan would cost more than it saves. Limits of somebody's own
// hold for it, too.
const SCAN_FROM = 4096;

/** The length of the shortest message, `{"jsonrpc":"2.0","method":""}`. */
export const SHORTEST_MESSAGE = 29;

const BYTE_ORDER_MARK = 0xfeff;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const decoder = new TextDecoder('utf-8', { fatal: true });
const encoder = new TextEncoder();
// The same for all: a flood of such text must not cost an object each.
const NOT_JSON = Object.freeze(malformed('the message is not valid JSON'));
const NOT_AN_OBJECT = Object.freeze(notAnObject());
const PRIMITIVE = /^\s*(?:true|false|null|-?\d+|"[ !#-[\]-~]*")\s*$/;

/**
 * Reads one message or batch. Text that begins with anything but `{` or `[` is not parsed: no message does. Invalid UTF-8
 * is malformed, a leading byte order mark is dropped.
 */
export function readPayload(bytes: Uint8Array, limits: ReceivedLimits = JSON_LIMITS): Payload {
  if (!isOpening(bytes[contentStart(bytes)])) return unparsed(bytes);
  if (isWorthScanning(bytes.length, limits)) {
    const fault = jsonLimitFault(bytes, limits);
    if (fault) return fault;
  }
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return malformedAnswer(bytes, malformed('the message is not valid UTF-8'));
  }
  const payload = parsePayload(text);
  return isMalformed(payload) ? malformedAnswer(bytes, payload) : payload;
}

/** Reads one message or batch from text, in the same way. */
export function readText(text: string, limits: ReceivedLimits = JSON_LIMITS): Payload {
  if (text.charCodeAt(0) !== OPEN_OBJECT && !isOpening(firstOf(text))) {
    return unparsed(encoder.encode(text));
  }
  if (isWorthScanning(text.length, limits)) {
    const fault = jsonLimitFault(encoder.encode(text), limits);
    if (fault) return fault;
  }
  const payload = parsePayload(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
  return isMalformed(payload) ? malformedAnswer(encoder.encode(text), payload) : payload;
}

// Long text may be something that a program printed in front of a response.
function unparsed(bytes: Uint8Array): ParseError {
  if (bytes.length >= SHORTEST_MESSAGE) return malformedAnswer(bytes, NOT_JSON);
  return PRIMITIVE.test(String.fromCharCode(...bytes)) ? NOT_AN_OBJECT : NOT_JSON;
}

function isOpening(character: number | undefined): boolean {
  return character === OPEN_OBJECT || character === OPEN_ARRAY;
}

// Where the content begins, behind a byte order mark and white space.
function contentStart(bytes: Uint8Array): number {
  return skipSpace(bytes, bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0);
}

function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at++;
  return at;
}

function firstOf(text: string): number {
  let at = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  while (isSpace(text.charCodeAt(at))) at++;
  return text.charCodeAt(at);
}

function isSpace(character: number | undefined): boolean {
  return character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;
}

function isWorthScanning(length: number, { depth, elements }: JsonLimits): boolean {
  return length > SCAN_FROM || depth < JSON_LIMITS.depth || elements < JSON_LIMITS.elements;
}

function isMalformed(payload: Payload): payload is ParseError {
  return payload instanceof ParseError && payload.code === 'MalformedJson';
}

// If it is an answer, the call it belongs to need not wait for its timeout. A request gets its error without an id.
function malformedAnswer(bytes: Uint8Array, fault: ParseError): ParseError {
  const { id, isResponse } = peekEnvelope(bytes);
  return isResponse ? new ParseError(fault.code, fault.message, id, true) : fault;
}

/**
 * Says why JSON text has more structure than allowed, in one pass over its bytes.
 * Text whose brackets or quotes do not close is malformed rather than too large; any other mistake is left to `JSON.parse`.
 */
export function jsonLimitFault(bytes: Uint8Array, limits: ReceivedLimits): ParseError | undefined {
  const { structureBytes = Number.POSITIVE_INFINITY } = limits;
  const isCounted = Number.isFinite(structureBytes) && bytes.length > COUNT_NAMES_FROM;
  const names = isCounted ? new NameCount() : undefined;
  // What is beyond one of these is not read to its end.
  const maxCommas = structureBytes / ELEMENT_BYTES;
  const maxContainers = structureBytes / CONTAINER_BYTES;
  let depth = 0;
  let deepest = 0;
  let commas = 0;
  let containers = 0;
  let strings = 0;
  let members = 0;
  // The last string.
  let start = 0;
  let end = 0;
  let at = 0;
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === COMMA) {
      if (++commas > maxCommas) break;
    } else if (byte === QUOTE) {
      strings++;
      start = at + 1;
      at = end = endOfString(bytes, at);
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++containers > maxContainers) break;
      if (++depth > deepest) deepest = depth;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth--;
    } else if (byte === COLON) {
      members++;
      names?.add(bytes, start, end);
    }
  }
  const counted =
    commas * ELEMENT_BYTES +
    (strings - members) * STRING_BYTES +
    containers * CONTAINER_BYTES +
    (names?.different ?? 0) * NEW_NAME_BYTES;
  const isWithin = commas + containers <= limits.elements && counted <= structureBytes;
  if (deepest <= limits.depth && isWithin) return undefined;
  const isReadToItsEnd = commas <= maxCommas && containers <= maxContainers;
  if (isReadToItsEnd && (depth !== 0 || at > bytes.length)) return malformed('the message is not valid JSON');

  const { id, isResponse, isNotification } = peekEnvelope(bytes);
  const invalid = `Invalid ${isResponse ? 'response' : isNotification ? 'notification' : 'request'}`;
  const refuse = (code: ParseErrorCode, excess: string): ParseError =>
    new ParseError(code, `${invalid}: ${excess}`, id, isResponse, isNotification);
  if (deepest > limits.depth) return refuse('TooDeep', `more than ${limits.depth} levels of nesting`);
  return refuse(
    'TooManyElements',
    counted > structureBytes
      ? `its elements count for more than ${structureBytes} bytes (option "${limits.option}")`
      : `more than ${limits.elements} elements`,
  );
}

/** What can be told of a message that will not be parsed, so that the call it belongs to need not wait for its timeout. */
export interface Envelope {
  readonly id: Id | undefined;
  readonly isResponse: boolean;
  /** It has a method and no id. False for text that is cut off, because the id may be in the missing part. */
  readonly isNotification: boolean;
}

// A message has four members at its top, and so at most eight strings; text with many more is not read to its end.
const MAX_STRINGS = 32;

/** Reads the id and the kind of a message from the members at its top. The text may be cut off anywhere. */
export function peekEnvelope(bytes: Uint8Array): Envelope {
  let depth = 0;
  let strings = 0;
  let idAt: number | undefined;
  let isCall = false;
  let isAnswer = false;
  for (let at = 0; at < bytes.length && strings < MAX_STRINGS; at++) {
    const byte = bytes[at];
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
    if (byte !== QUOTE) continue;

    const start = at;
    at = endOfString(bytes, start);
    // The messages of a batch are deeper than this: no id is better than the id of one of many.
    if (depth !== 1) continue;
    strings++;
    const colon = skipSpace(bytes, at + 1);
    if (bytes[colon] !== COLON) continue;
    const name = NAMES.find((one) => isText(bytes, start + 1, at, one));
    if (name === 'method') isCall = true;
    else if (name === 'id') idAt = colon + 1;
    else if (name !== undefined) isAnswer = true;
  }
  const id = idAt === undefined ? undefined : idOf(ID.exec(asciiOf(bytes, skipSpace(bytes, idAt)))?.[0]);
  const isComplete = depth === 0 && strings < MAX_STRINGS;
  const isNotification = isComplete && isCall && idAt === undefined && !isAnswer;
  return { id, isResponse: isAnswer && !isCall, isNotification };
}

const NAMES: readonly string[] = ['id', 'method', 'result', 'error'];
// Only ids that are plain to read: an id with escapes or letters beyond ASCII is left out.
const ID = /^(?:"[ !#-[\]-~]{0,128}"|-?\d{1,16}(?=[\s,}]))/;

function isText(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false;
  for (let at = 0; at < text.length; at++) if (bytes[start + at] !== text.charCodeAt(at)) return false;
  return true;
}

function idOf(value: string | undefined): Id | undefined {
  if (value === undefined) return undefined;
  if (value.startsWith('"')) return value.slice(1, -1);
  return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
}

function asciiOf(bytes: Uint8Array, start: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + 160));
}

// The index of the closing quote, or the length of the text if there is none.
function endOfString(bytes: Uint8Array, start: number): number {
  const { length } = bytes;
  let at = start + 1;
  while (at < length) {
    // Most strings are short, and long ones are mostly free of escapes: step first, then leap to the next quote.
    for (const leap = at + 256; at < leap && at < length; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at++;
    }
    const quote = at < length ? bytes.indexOf(QUOTE, at) : -1;
    if (quote === -1) return length;
    let run = quote;
    while (run > at && bytes[run - 1] === BACKSLASH) run--;
    if ((quote - run) % 2 === 0) return quote;
    at = quote + 1;
  }
  return length;
}

function malformed(what: string): ParseError {
  return new ParseError('MalformedJson', `Parse error: ${what}`);
}

/** Checks JSON bytes against limits on nesting and elements before `JSON.parse` creates objects from them. */

import { ParseError, type ParseErrorCode } from '../errors.ts';
import type { Id } from '../message.ts';
import { JSON_LIMITS, type JsonLimits, type ReceivedLimits } from './message-limits.ts';

// Weights of JSON elements, in bytes, in proportion to their parse time. `structureBytes` limits the total weight of a message:
// `JSON.parse` takes less than 250 ms for a message with a weight of 16 MiB.
const ELEMENT_BYTES = 8;
const STRING_BYTES = 40;
const CONTAINER_BYTES = 80;
const NEW_NAME_BYTES = 160;
// Distinct member names are counted in text above this length, in bytes. Shorter text has too few names to slow down parsing.
const COUNT_NAMES_FROM = 512 * 1024;
// Text of up to this length, in bytes, is not scanned if no limit is below its default: parsing it is faster than scanning.
const SCAN_FROM = 4096;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** True for `{` and `[`: every message or batch begins with one of them. */
export function isOpening(character: number | undefined): boolean {
  return character === OPEN_OBJECT || character === OPEN_ARRAY;
}

export function isSpace(character: number | undefined): boolean {
  return character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;
}

export function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at++;
  return at;
}

/** True if `jsonLimitFault` must check text of this length: the text is over 4 KiB, or a limit is below its default. */
export function isWorthScanning(length: number, { depth, elements }: JsonLimits): boolean {
  return length > SCAN_FROM || depth < JSON_LIMITS.depth || elements < JSON_LIMITS.elements;
}

/** Returns an error if the JSON exceeds a limit; its code is `MalformedJson` if brackets or quotes are also unbalanced. */
export function jsonLimitFault(bytes: Uint8Array, limits: ReceivedLimits): ParseError | undefined {
  const { structureBytes = Number.POSITIVE_INFINITY } = limits;
  const names = bytes.length > COUNT_NAMES_FROM ? limits.countNames?.() : undefined;
  // The scan ends as soon as the weight of the commas alone, or of the containers alone, exceeds `structureBytes`.
  const maxCommas = structureBytes / ELEMENT_BYTES;
  const maxContainers = structureBytes / CONTAINER_BYTES;
  let depth = 0;
  let deepest = 0;
  let commas = 0;
  let containers = 0;
  let strings = 0;
  let members = 0;
  // Start and end of the last string, which is a member name if a colon follows.
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
  const isComplete = commas <= maxCommas && containers <= maxContainers;
  if (isComplete && (depth !== 0 || at > bytes.length)) return malformed('the message is not valid JSON');

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

/** The id and kind of a message, as far as `peekEnvelope` can read them without parsing. */
export interface Envelope {
  readonly id: Id | undefined;
  readonly isResponse: boolean;
  /** True for a message with a method and no id. False if the text is cut off: the missing part could contain the id. */
  readonly isNotification: boolean;
}

// Maximum number of top-level strings that `peekEnvelope` reads. A valid request has at most seven: four names, three values.
const MAX_STRINGS = 32;
const MAX_NAME = 'method'.length;
// Matches a message id. String ids with escapes, non-ASCII characters or more than 128 characters do not match.
const ID = /^(?:"[ !#-[\]-~]{0,128}"|-?\d{1,16}(?=[\s,}]))/;
// Number of bytes that `readId` matches against `ID`. The longest match has 130 bytes.
const ID_BYTES = 160;

/** Reads the id and kind of an unreadable or truncated message, for an error response or to fail the call that waits for it. */
export function peekEnvelope(bytes: Uint8Array): Envelope {
  let depth = 0;
  let strings = 0;
  let idAt: number | undefined;
  let hasMethod = false;
  let hasOutcome = false;
  for (let at = 0; at < bytes.length && strings < MAX_STRINGS; at++) {
    const byte = bytes[at];
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
    if (byte !== QUOTE) continue;

    const start = at;
    at = endOfString(bytes, start);
    // Messages of a batch are at depth 2 and are skipped, because the id of one message does not identify the batch.
    if (depth !== 1) continue;
    strings++;
    const colon = skipSpace(bytes, at + 1);
    if (bytes[colon] !== COLON) continue;
    const name = at - start > MAX_NAME + 1 ? '' : String.fromCharCode(...bytes.subarray(start + 1, at));
    if (name === 'method') hasMethod = true;
    else if (name === 'id') idAt = colon + 1;
    else if (name === 'result' || name === 'error') hasOutcome = true;
  }
  const id = idAt === undefined ? undefined : readId(bytes, skipSpace(bytes, idAt));
  const isComplete = depth === 0 && strings < MAX_STRINGS;
  const isNotification = isComplete && hasMethod && idAt === undefined && !hasOutcome;
  return { id, isResponse: hasOutcome && !hasMethod, isNotification };
}

function readId(bytes: Uint8Array, start: number): Id | undefined {
  const value = ID.exec(String.fromCharCode(...bytes.subarray(start, start + ID_BYTES)))?.[0];
  if (value?.startsWith('"')) return value.slice(1, -1);
  return value !== undefined && Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
}

/** Returns the position of the closing quote of the string that opens at `start`; `bytes.length` if there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  const { length } = bytes;
  let at = start + 1;
  while (at < length) {
    // Reads 256 bytes one by one, because most strings are short. `indexOf` is faster for longer strings.
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

export function malformed(what: string): ParseError {
  return new ParseError('MalformedJson', `Parse error: ${what}`);
}

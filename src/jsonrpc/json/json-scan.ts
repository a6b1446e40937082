/** Checks received JSON bytes against the limits of structure, before `JSON.parse` builds objects of them. */

import { ParseError, type ParseErrorCode } from '../errors.ts';
import type { Id } from '../message.ts';
import { JSON_LIMITS, type JsonLimits, type ReceivedLimits } from './json-limits.ts';

// Bytes that each element, string, object or array, and new member name counts for in `structureBytes`. They follow the time
// that `JSON.parse` takes: a message that counts for 16 MiB is parsed in less than a quarter of a second.
const ELEMENT_BYTES = 8;
const STRING_BYTES = 40;
const CONTAINER_BYTES = 80;
const NEW_NAME_BYTES = 160;
// Length of the text, in bytes, from which member names are counted: shorter text cannot contain too many different names.
const COUNT_NAMES_FROM = 512 * 1024;
// Length of the text, in bytes, from which it is scanned for the default limits: for shorter text, parsing is faster.
const SCAN_FROM = 4096;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** True for `{` and `[`, with which every message and batch begins. */
export function isOpening(character: number | undefined): boolean {
  return character === OPEN_OBJECT || character === OPEN_ARRAY;
}

/** True for JSON white space. */
export function isSpace(character: number | undefined): boolean {
  return character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;
}

/** Returns the first position from `start` on that is not white space. */
export function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at++;
  return at;
}

/** True if text of this length must be scanned: it is long, or a limit is below the default. */
export function isWorthScanning(length: number, { depth, elements }: JsonLimits): boolean {
  return length > SCAN_FROM || depth < JSON_LIMITS.depth || elements < JSON_LIMITS.elements;
}

/**
 * Returns the error for the limit that JSON text exceeds; undefined if it exceeds none. Text above a limit that has unbalanced
 * brackets or quotes is reported as malformed. Other syntax errors are left to `JSON.parse`.
 */
export function jsonLimitFault(bytes: Uint8Array, limits: ReceivedLimits): ParseError | undefined {
  const { structureBytes = Number.POSITIVE_INFINITY } = limits;
  const isCounted = Number.isFinite(structureBytes) && bytes.length > COUNT_NAMES_FROM;
  const names = isCounted ? new NameCount() : undefined;
  // The scan ends early when one of these two numbers is exceeded.
  const maxCommas = structureBytes / ELEMENT_BYTES;
  const maxContainers = structureBytes / CONTAINER_BYTES;
  let depth = 0;
  let deepest = 0;
  let commas = 0;
  let containers = 0;
  let strings = 0;
  let members = 0;
  // Position of the last string: the string is a member name if a colon follows.
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

// Size of the bit set of name hashes. Names that share a bit are counted once.
const NAME_BITS = 2 ** 20;
// The seed is random, so that a sender cannot choose names whose hashes collide.
const NAME_SEED = Math.floor(Math.random() * 2 ** 32);

/** Counts different member names by their hashes, since `JSON.parse` takes longest for names that it has not met before. */
class NameCount {
  readonly #seen = new Uint32Array(NAME_BITS / 32);
  different = 0;

  /** Counts the name between two positions of the text. Escapes are not decoded. */
  add(bytes: Uint8Array, start: number, end: number): void {
    let hash = NAME_SEED;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    const bit = (hash ^ (hash >>> 12)) & (NAME_BITS - 1);
    const mask = 1 << (bit & 31);
    const word = this.#seen[bit >>> 5] as number;
    if ((word & mask) !== 0) return;
    this.#seen[bit >>> 5] = word | mask;
    this.different++;
  }
}

/** The id and the kind of a message, as far as they can be read without parsing it. */
export interface Envelope {
  readonly id: Id | undefined;
  readonly isResponse: boolean;
  /** True for a message with a method and no id. False if the text is cut off, since the id may be in the missing part. */
  readonly isNotification: boolean;
}

// Number of strings at the top level after which the search ends. A valid message has at most eight: four names and four
// values.
const MAX_STRINGS = 32;
const MAX_NAME = 'method'.length;
// A string id with escapes or non-ASCII characters is not recognized.
const ID = /^(?:"[ !#-[\]-~]{0,128}"|-?\d{1,16}(?=[\s,}]))/;
// Bytes of the message that are searched for `ID`. The longest match has 130.
const ID_BYTES = 160;

/**
 * Reads the id and the kind of a message from its top-level members, without parsing it. With the id of an unreadable response,
 * its call fails at once instead of at its timeout. The text may be cut off anywhere.
 */
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
    // The messages of a batch are at depth 2 and are skipped: the id of one of them is not the id of the batch.
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

/** Returns the position of the closing quote of the string at `start`, or the length of the text if there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  const { length } = bytes;
  let at = start + 1;
  while (at < length) {
    // The first 256 bytes are read one by one, since most strings are short. For longer strings `indexOf` is faster.
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

/** Makes the error for text that is not valid JSON. `what` is the reason. */
export function malformed(what: string): ParseError {
  return new ParseError('MalformedJson', `Parse error: ${what}`);
}

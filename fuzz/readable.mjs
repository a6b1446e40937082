// Reads what the fuzzer sent, by rules of its own: which requests are in it, and which of them are owed an answer.

import { isAnsweredAlone } from './corpus.mjs';

const MAX_ID_LENGTH = 1024;
const MAX_BATCH = 100;
// Below the documented limits of 64 levels and 100,000 elements.
const SAFE_DEPTH = 60;
const SAFE_ELEMENTS = 90_000;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The key under which an id is counted; undefined for what is no id. */
export function keyOf(id) {
  const isId = typeof id === 'string' ? id.length <= MAX_ID_LENGTH : Number.isSafeInteger(id);
  return isId ? JSON.stringify(id) : undefined;
}

/**
 * What one message or batch asks for. `keys`: ids that answers may have, one entry for each request; `owed`: those of
 * `keys` that must be answered; `cancelled`: ids that are taken back.
 */
export function readSent(bytes, { batches = false } = {}) {
  const value = parsed(bytes);
  if (value === undefined) return { keys: idsIn(bytes), owed: [], cancelled: [], value };
  const isBatch = Array.isArray(value);
  const messages = isBatch ? value : [value];
  const calls = messages.filter((one) => isObject(one));
  const keys = calls.filter(isNoAnswer).flatMap(({ id }) => keyOf(id) ?? []);
  // A batch is answered as one, so a request in it that waits holds back the answers of the others.
  const isOwedAsBatch =
    batches && messages.length <= MAX_BATCH && !calls.some(standsAlone) && calls.every(isAnsweredAlone);
  const isOwed = fitsLimits(value) && (!isBatch || isOwedAsBatch);
  const owed = isOwed ? calls.filter((one) => isRequest(one) && isAnsweredAlone(one)).map(({ id }) => keyOf(id)) : [];
  const cancelled = calls
    .filter(({ method }) => method === 'notifications/cancelled')
    .flatMap(({ params }) => keyOf(params?.requestId) ?? []);
  return { keys, owed, cancelled, value };
}

function parsed(bytes) {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}

const ID = /"id"\s*:\s*("(?:[^"\\]|\\.){0,1100}"|-?\d{1,16}(?![\d.eE]))/g;

/** The ids that an answer to unreadable text can have: it may be too deep to be parsed and yet have an id. */
function idsIn(bytes) {
  return [...bytes.toString().matchAll(ID)].flatMap(([, id]) => keyOf(parsed(Buffer.from(id))) ?? []);
}

function isNoAnswer(message) {
  return Object.hasOwn(message, 'method') || !(Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error'));
}

function standsAlone({ method, params }) {
  return method === 'initialize' || params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
}

/** A request as JSON-RPC has it. */
export function isRequest(message) {
  if (!isObject(message) || message.jsonrpc !== '2.0' || typeof message.method !== 'string') return false;
  if (!Object.hasOwn(message, 'jsonrpc') || !Object.hasOwn(message, 'id') || keyOf(message.id) === undefined)
    return false;
  if (Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error')) return false;
  return !Object.hasOwn(message, 'params') || (typeof message.params === 'object' && message.params !== null);
}

/** Less structure than the limits allow, and no number beyond those of JavaScript. Without recursion: the value may be deep. */
function fitsLimits(value) {
  let elements = 0;
  const open = [[value, 1]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, depth] = next;
    if (typeof node === 'number' && !Number.isFinite(node)) return false;
    if (typeof node !== 'object' || node === null) continue;
    const parts = Object.values(node);
    elements += parts.length + 1;
    if (depth > SAFE_DEPTH || elements > SAFE_ELEMENTS) return false;
    for (const part of parts) open.push([part, depth + 1]);
  }
  return true;
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Checks what the program under test sent: valid JSON-RPC, and nothing of the inside of the process.

import { fileURLToPath } from 'node:url';
import { keyOf } from './readable.mjs';
import { SECRET } from './secret.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STACK = /\n?\s+at [^\n]{0,200}(?:\.[cm]?[jt]s|node:[a-z_/]+):\d+:\d+/;
const INTERNALS = [
  ['a stack', (text) => STACK.test(text) || text.includes('node_modules')],
  ['a path of this machine', (text) => text.includes(ROOT)],
  ['the text of an unforeseen error', (text) => text.includes(SECRET)],
];

/** Throws if the text has something of the inside of the process. */
export function checkText(text) {
  const found = INTERNALS.find(([, isIn]) => isIn(text));
  if (found) throw new Fault(`${found[0]} is in what was sent`, text);
}

/** A promise that was broken, with what shows it. */
export class Fault extends Error {
  constructor(message, evidence = '') {
    super(message);
    this.evidence = String(evidence).slice(0, 2000);
  }
}

/** The messages in one piece of text, a batch or a single one; throws `Fault` for what is not JSON-RPC. */
export function messagesIn(text) {
  checkText(text);
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Fault('what was sent is not JSON', text);
  }
  const messages = Array.isArray(value) ? value : [value];
  if (messages.length === 0) throw new Fault('an empty batch was sent', text);
  for (const message of messages) if (!isMessage(message)) throw new Fault('what was sent is not JSON-RPC', text);
  return messages;
}

/** A request, notification or response as JSON-RPC has it. */
export function isMessage(message) {
  if (typeof message !== 'object' || message === null || Array.isArray(message) || message.jsonrpc !== '2.0')
    return false;
  const { id, method, result, error } = message;
  if ('method' in message) {
    const hasParams = !('params' in message) || (typeof message.params === 'object' && message.params !== null);
    return (
      typeof method === 'string' &&
      hasParams &&
      !('result' in message) &&
      !('error' in message) &&
      (!('id' in message) || keyOf(id) !== undefined)
    );
  }
  if ('error' in message) {
    const isId = id === undefined || id === null || keyOf(id) !== undefined;
    return isId && !('result' in message) && Number.isInteger(error?.code) && typeof error.message === 'string';
  }
  return keyOf(id) !== undefined && typeof result === 'object' && result !== null && !Array.isArray(result);
}

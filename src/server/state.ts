/** The journal of a call on its way through the client: sealed when it leaves, opened when it comes back. */

import { canonical } from '../jsonrpc/canonical.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import { isAnswer, isAnyAnswer } from '../protocol/answers.ts';
import type { Answer } from '../protocol/model/questions.ts';
import { principalKey } from '../protocol/principal.ts';
import { Journal, type JournalJson } from './journal.ts';
import type { Asker } from './questions.ts';
import { MAX_SEALED, Seal } from './seal.ts';

/** The journal as a `requestState`. */
export async function sealJournal(call: Asker, journal: Journal): Promise<string> {
  const { secrets, limits } = call.parts;
  const text = JSON.stringify({ expires: Date.now() + limits.stateTtlMs, journal });
  const sealed = await sealOf(secrets).seal(text, bindingOf(call));
  if (sealed.length <= MAX_SEALED) return sealed;
  throw new Error(`The answers and steps of this call do not fit into ${MAX_SEALED} characters of state`);
}

/** The journal a retry brings along, with the answers it brings entered. */
export async function openJournal(call: Asker): Promise<Journal> {
  const { requestState, inputResponses } = call.params;
  const journal = requestState === undefined ? new Journal() : await unsealJournal(call, requestState);
  if (inputResponses === undefined) return journal;
  if (!isObject(inputResponses)) throw RpcError.invalidParams('"inputResponses" must be an object');
  for (const [key, answer] of Object.entries(inputResponses)) {
    const asked = journal.asked.get(key);
    if (asked && !isAnswer(asked.method, answer)) continue;
    // Only what was asked can be answered; anything else is at most input to a handler that returned its questions.
    if (asked && !asked.returned) journal.answered.set(key, { ...asked, answer: answer as Answer });
    else if (asked || isAnyAnswer(answer)) journal.given.set(key, answer as Answer);
  }
  return journal;
}

async function unsealJournal(call: Asker, state: unknown): Promise<Journal> {
  const text = typeof state === 'string' ? await sealOf(call.parts.secrets).open(state, bindingOf(call)) : undefined;
  const opened = text === undefined ? undefined : (JSON.parse(text) as { expires: number; journal: JournalJson });
  // One answer for every kind of wrong: it tells nothing about which.
  if (!opened || opened.expires < Date.now()) throw RpcError.invalidParams('Invalid or expired requestState');
  return Journal.from(opened.journal);
}

const seals = new WeakMap<readonly Uint8Array[], Seal>();

// One for each server: without secrets it makes its own.
function sealOf(secrets: readonly Uint8Array[]): Seal {
  const seal = seals.get(secrets) ?? new Seal(secrets);
  seals.set(secrets, seal);
  return seal;
}

// Whose call this is, and which: a state is good for nothing else.
function bindingOf({ method, params, exchange, parts }: Asker): string {
  const { name = null, uri = null, arguments: args = {} } = params;
  return canonical([parts.host.info.name, principalKey(exchange.principal), method, name, uri, args]);
}

/** `requestState`: the journal of a call, sealed with AES-256-GCM while the client carries it. */

import { fromBase64, toBase64 } from '../../jsonrpc/base64.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { canonicalJson } from '../../jsonrpc/json/canonical-json.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { isAnyInputResponse, isInputResponse } from '../../protocol/input-requests.ts';
import type { InputResponse } from '../../protocol/model/input-requests.ts';
import { principalKey } from '../../protocol/principal.ts';
import { MAX_REQUEST_STATE } from '../limits/limits.ts';
import type { InputCaller } from './input-requests.ts';
import { Journal, type JournalJson } from './journal.ts';

/** The journal as a `requestState`. */
export async function sealJournal(call: InputCaller, journal: Journal): Promise<string> {
  const { secrets, limits } = call.server;
  const text = JSON.stringify({ expires: Date.now() + limits.stateTtlMs, journal });
  const sealed = await sealOf(secrets).seal(text, bindingOf(call));
  if (sealed.length <= MAX_REQUEST_STATE) return sealed;
  throw new Error(`The answers and steps of this call do not fit into ${MAX_REQUEST_STATE} characters of state`);
}

/** The journal a retry brings along, with the answers it brings entered. */
export async function openJournal(call: InputCaller): Promise<Journal> {
  const { requestState, inputResponses } = call.params;
  const journal = requestState === undefined ? new Journal() : await unsealJournal(call, requestState);
  if (inputResponses === undefined) return journal;
  if (!isObject(inputResponses)) throw RpcError.invalidParams('"inputResponses" must be an object');
  for (const [key, answer] of Object.entries(inputResponses)) {
    const asked = journal.openRequests.get(key);
    if (asked && !isInputResponse(asked.method, answer)) continue;
    // Only what was asked can be answered; anything else is at most input to a handler that returned its questions.
    if (asked && !asked.viaInputRequired) journal.responses.set(key, { ...asked, answer: answer as InputResponse });
    else if (asked || isAnyInputResponse(answer)) journal.handlerInputs.set(key, answer as InputResponse);
  }
  return journal;
}

async function unsealJournal(call: InputCaller, state: unknown): Promise<Journal> {
  const text = typeof state === 'string' ? await sealOf(call.server.secrets).open(state, bindingOf(call)) : undefined;
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
function bindingOf({ method, params, exchange, server }: InputCaller): string {
  const { name = null, uri = null, arguments: args = {} } = params;
  return canonicalJson([server.host.info.name, principalKey(exchange.principal), method, name, uri, args]);
}

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

interface Key {
  readonly kid: Uint8Array;
  readonly key: CryptoKey;
}

const PREFIX = 'v1.';
const KID_LENGTH = 4;
const IV_LENGTH = 12;

/** AES-256-GCM under a ring of keys: the first one seals, all of them open. */
export class Seal {
  readonly #secrets: readonly Uint8Array[];
  #ring: Promise<readonly Key[]> | undefined;

  /** Without secrets a random one is made: what was sealed then dies with the process. */
  constructor(secrets: readonly Secret[] = []) {
    this.#secrets = secretsOf(secrets);
  }

  /** Seals text, bound to `binding`: whoever opens it must name the same. */
  async seal(text: string, binding: string): Promise<string> {
    const [first] = await this.#keys();
    if (!first) throw new Error('There is no key to seal with');
    const iv = crypto.getRandomValues(new Uint8Array(IV_LENGTH));
    const sealed = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv, additionalData: additionalData(first.kid, binding) },
      first.key,
      encode(text),
    );
    return PREFIX + toBase64Url(concat(first.kid, iv, new Uint8Array(sealed)));
  }

  /** The text that was sealed; undefined for anything that was not, or not by us, or not for this. */
  async open(token: string, binding: string): Promise<string | undefined> {
    if (!token.startsWith(PREFIX) || token.length > MAX_REQUEST_STATE) return undefined;
    const bytes = fromBase64Url(token.slice(PREFIX.length));
    if (!bytes || bytes.length < KID_LENGTH + IV_LENGTH) return undefined;
    const kid = bytes.subarray(0, KID_LENGTH);
    const iv = bytes.slice(KID_LENGTH, KID_LENGTH + IV_LENGTH);
    const sealed = bytes.slice(KID_LENGTH + IV_LENGTH);
    for (const { key } of (await this.#keys()).filter((one) => one.kid.every((byte, i) => byte === kid[i]))) {
      try {
        const data = { name: 'AES-GCM', iv, additionalData: additionalData(kid, binding) };
        return new TextDecoder().decode(await crypto.subtle.decrypt(data, key, sealed));
      } catch {
        // Not this key, or altered, or bound to something else: all the same to the caller.
      }
    }
    return undefined;
  }

  #keys(): Promise<readonly Key[]> {
    this.#ring ??= Promise.all((this.#secrets.length > 0 ? this.#secrets : [randomSecret()]).map(deriveKey));
    return this.#ring;
  }
}

async function deriveKey(secret: Uint8Array): Promise<Key> {
  const material = await crypto.subtle.importKey('raw', copy(secret), 'HKDF', false, ['deriveKey', 'deriveBits']);
  const hkdf = (info: string) => ({ name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(32), info: encode(info) });
  const key = await crypto.subtle.deriveKey(
    hkdf('mcpp requestState v1'),
    material,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  );
  const kid = await crypto.subtle.deriveBits(hkdf('mcpp requestState v1 key id'), material, KID_LENGTH * 8);
  return { key, kid: new Uint8Array(kid) };
}

// The version, the key and what the state is for are authenticated without being sent.
function additionalData(kid: Uint8Array, binding: string): Uint8Array<ArrayBuffer> {
  return concat(encode(PREFIX), kid, encode(binding));
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function copy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

function concat(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  // The last character has bits that mean nothing: altering those is altering, too.
  return bytes && toBase64Url(bytes) === text ? bytes : undefined;
}

// Made when it is needed: a Worker has no random numbers while it starts.
function randomSecret(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}

/** A secret: at least 32 characters or bytes, from a random source. */
export type Secret = string | Uint8Array;

/** The secrets as bytes. Throws if one of them is too short to be one. */
export function secretsOf(secrets: readonly Secret[]): readonly Uint8Array[] {
  const all = secrets.map((secret) => (typeof secret === 'string' ? new TextEncoder().encode(secret) : secret));
  if (all.some(({ length }) => length < 32)) throw new TypeError('Each of "keys" must have at least 32 bytes');
  return all;
}

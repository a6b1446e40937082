/** `requestState`: the journal of a call, encrypted with AES-256-GCM for the client, which returns it with its retry. */

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

/** Encrypts the journal of a call as its `requestState`. Throws if that is longer than `MAX_REQUEST_STATE`. */
export async function sealJournal(call: InputCaller, journal: Journal): Promise<string> {
  const { secrets, limits } = call.server;
  const text = JSON.stringify({ expires: Date.now() + limits.stateTtlMs, journal });
  const sealed = await sealOf(secrets).seal(text, bindingOf(call));
  if (sealed.length <= MAX_REQUEST_STATE) return sealed;
  throw new Error(`The input responses and steps of this call exceed ${MAX_REQUEST_STATE} characters of requestState`);
}

/** Decrypts the journal in the `requestState` of a retry, and records the retry's `inputResponses` in it. */
export async function openJournal(call: InputCaller): Promise<Journal> {
  const { requestState, inputResponses } = call.params;
  const journal = requestState === undefined ? new Journal() : await unsealJournal(call, requestState);
  if (inputResponses === undefined) return journal;
  if (!isObject(inputResponses)) throw RpcError.invalidParams('"inputResponses" must be an object');
  for (const [key, response] of Object.entries(inputResponses)) {
    const request = journal.openRequests.get(key);
    const isValid = request ? isInputResponse(request.method, response) : isAnyInputResponse(response);
    if (isValid) journal.record(key, response as InputResponse);
  }
  return journal;
}

async function unsealJournal(call: InputCaller, state: unknown): Promise<Journal> {
  const text = typeof state === 'string' ? await sealOf(call.server.secrets).open(state, bindingOf(call)) : undefined;
  const opened = text === undefined ? undefined : (JSON.parse(text) as { expires: number; journal: JournalJson });
  // All causes have the same error, so that an attacker does not learn which check failed.
  if (!opened || opened.expires < Date.now()) throw RpcError.invalidParams('Invalid or expired requestState');
  return new Journal(opened.journal);
}

const seals = new WeakMap<readonly Uint8Array[], Seal>();

// Returns the only `Seal` of a server: without secrets, each new `Seal` would make another random key.
function sealOf(secrets: readonly Uint8Array[]): Seal {
  const seal = seals.get(secrets) ?? new Seal(secrets);
  seals.set(secrets, seal);
  return seal;
}

// Returns the text that binds a `requestState` to one server, principal, method, entry and arguments: others cannot use it.
function bindingOf({ method, params, exchange, server }: InputCaller): string {
  const { name = null, uri = null, arguments: args = {} } = params;
  return canonicalJson([server.serverInfo.info.name, principalKey(exchange.principal), method, name, uri, args]);
}

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

// An encryption key, and the id (`kid`) by which a token names it.
interface Key {
  readonly kid: Uint8Array;
  readonly key: CryptoKey;
}

// Format of a token: the prefix, then key id, initialization vector and ciphertext in base64url. Lengths are in bytes.
const PREFIX = 'v1.';
const KID_LENGTH = 4;
const IV_LENGTH = 12;

/** Encrypts and decrypts tokens with AES-256-GCM. The first key encrypts, all keys decrypt, so that keys can be rotated. */
export class Seal {
  readonly #secrets: readonly Uint8Array[];
  #ring: Promise<readonly Key[]> | undefined;

  /** Without secrets the key is random, and tokens are valid only until the process ends. */
  constructor(secrets: readonly Secret[] = []) {
    this.#secrets = secretsOf(secrets);
  }

  /** Encrypts text as a token. Only `open` with the same `binding` decrypts it. The token does not contain the binding. */
  async seal(text: string, binding: string): Promise<string> {
    const [first] = await this.#keys();
    if (!first) throw new Error('There is no key for requestState');
    const iv = crypto.getRandomValues(new Uint8Array(IV_LENGTH));
    const sealed = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv, additionalData: additionalData(first.kid, binding) },
      first.key,
      encode(text),
    );
    return PREFIX + toBase64Url(concat(first.kid, iv, new Uint8Array(sealed)));
  }

  /** Decrypts a token. Returns undefined if it was altered, or made with another key or binding. */
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
        // Decryption fails for an altered token, another binding, or another key with the same id: try the next key.
      }
    }
    return undefined;
  }

  // Keys are derived on first use, because Cloudflare Workers have no random numbers during start-up.
  #keys(): Promise<readonly Key[]> {
    const random = (): Uint8Array[] => [crypto.getRandomValues(new Uint8Array(32))];
    this.#ring ??= Promise.all((this.#secrets.length > 0 ? this.#secrets : random()).map(deriveKey));
    return this.#ring;
  }
}

async function deriveKey(secret: Uint8Array): Promise<Key> {
  const material = await crypto.subtle.importKey('raw', new Uint8Array(secret), 'HKDF', false, [
    'deriveKey',
    'deriveBits',
  ]);
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

// Returns the data that AES-GCM authenticates but does not encrypt: the format, the key id and the binding.
function additionalData(kid: Uint8Array, binding: string): Uint8Array<ArrayBuffer> {
  return concat(encode(PREFIX), kid, encode(binding));
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
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
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  // The comparison refuses other characters and unused bits that are not zero, so that each token has one spelling.
  return bytes && toBase64Url(bytes) === text ? bytes : undefined;
}

/** A secret from which a key for `requestState` is derived: at least 32 bytes from a random source. */
export type Secret = string | Uint8Array;

/** Converts secrets to bytes. Throws a `TypeError` if one has fewer than 32 bytes. */
export function secretsOf(secrets: readonly Secret[]): readonly Uint8Array[] {
  const all = secrets.map((secret) => (typeof secret === 'string' ? encode(secret) : secret));
  if (all.some(({ length }) => length < 32)) throw new TypeError('Each of "keys" must have at least 32 bytes');
  return all;
}

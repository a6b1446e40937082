/** `requestState`: the input responses and steps of a call, encrypted with AES-256-GCM. The client returns it in a retry. */

import { fromBase64, toBase64 } from '../../jsonrpc/base64.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { canonicalJson } from '../../jsonrpc/json/canonical-json.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { isAnyInputResponse, isInputResponse } from '../../protocol/input-responses.ts';
import type { InputResponse } from '../../protocol/model/input-requests.ts';
import { principalKey } from '../../protocol/principal.ts';
import { MAX_REQUEST_STATE } from '../limits/default-limits.ts';
import type { InputCaller } from './input-requests.ts';
import { Journal, type JournalJson } from './journal.ts';

/** Encrypts the journal of a call as `requestState`. Throws if the result has more than `MAX_REQUEST_STATE` characters. */
export async function sealJournal(call: InputCaller, journal: Journal): Promise<string> {
  const { secrets, limits } = call.server;
  const text = JSON.stringify({ expires: Date.now() + limits.stateTtlMs, journal });
  const sealed = await sealOf(secrets).seal(text, bindingOf(call));
  if (sealed.length <= MAX_REQUEST_STATE) return sealed;
  throw new Error(`The input responses and steps of this call exceed ${MAX_REQUEST_STATE} characters of requestState`);
}

/** Decrypts the journal in the `requestState` of a retry, and adds the retry's valid `inputResponses` to the journal. */
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
  // All failures throw the same error, so that an attacker does not learn which check failed.
  if (!opened || opened.expires < Date.now()) throw RpcError.invalidParams('Invalid or expired requestState');
  return new Journal(opened.journal);
}

const seals = new WeakMap<readonly Uint8Array[], Seal>();

// Returns the same `Seal` for all calls of a server, because each `Seal` without secrets has its own random key.
function sealOf(secrets: readonly Uint8Array[]): Seal {
  const seal = seals.get(secrets) ?? new Seal(secrets);
  seals.set(secrets, seal);
  return seal;
}

// Binds a `requestState` to the server, principal, method, entry and arguments. Another call cannot decrypt the `requestState`.
function bindingOf({ method, params, exchange, server }: InputCaller): string {
  const { name = null, uri = null, arguments: args = {} } = params;
  return canonicalJson([server.serverInfo.info.name, principalKey(exchange.principal), method, name, uri, args]);
}

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

// A token is the prefix, followed by base64url of the initialization vector (`IV_LENGTH` bytes) and the ciphertext.
const PREFIX = 'v1.';
const IV_LENGTH = 12;

/** Encrypts tokens with the first key and decrypts tokens of every key, so that keys can be rotated. */
export class Seal {
  readonly #secrets: readonly Uint8Array[];
  #ring: Promise<readonly CryptoKey[]> | undefined;

  /** Without secrets, the key is random, and tokens are valid only until the process ends. */
  constructor(secrets: readonly Secret[] = []) {
    this.#secrets = secretsOf(secrets);
  }

  /** Encrypts text as a token, which `open` decrypts only with the same `binding`. The token does not contain `binding`. */
  async seal(text: string, binding: string): Promise<string> {
    const [first] = await this.#keys();
    if (!first) throw new Error('There is no key for requestState');
    const iv = crypto.getRandomValues(new Uint8Array(IV_LENGTH));
    const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm(iv, binding), first, encode(text)));
    const token = new Uint8Array(IV_LENGTH + sealed.length);
    token.set(iv);
    token.set(sealed, IV_LENGTH);
    return PREFIX + toBase64Url(token);
  }

  /** Decrypts a token. Returns undefined if the token was altered, or encrypted with an unknown key or another binding. */
  async open(token: string, binding: string): Promise<string | undefined> {
    if (!token.startsWith(PREFIX) || token.length > MAX_REQUEST_STATE) return undefined;
    const bytes = fromBase64Url(token.slice(PREFIX.length));
    if (!bytes) return undefined;
    const iv = bytes.slice(0, IV_LENGTH);
    for (const key of await this.#keys()) {
      try {
        const text = await crypto.subtle.decrypt(algorithm(iv, binding), key, bytes.slice(IV_LENGTH));
        return new TextDecoder().decode(text);
      } catch {
        // The token could have been encrypted with one of the other keys.
      }
    }
    return undefined;
  }

  // Makes the keys on first use, because Cloudflare Workers cannot generate random values during start-up.
  #keys(): Promise<readonly CryptoKey[]> {
    const random = (): Uint8Array[] => [crypto.getRandomValues(new Uint8Array(32))];
    this.#ring ??= Promise.all((this.#secrets.length > 0 ? this.#secrets : random()).map(deriveKey));
    return this.#ring;
  }
}

async function deriveKey(secret: Uint8Array): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', new Uint8Array(secret), 'HKDF', false, ['deriveKey']);
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(32), info: encode('mcpp requestState v1') };
  return crypto.subtle.deriveKey(hkdf, material, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

// AES-GCM authenticates `additionalData`, so a token with another prefix or binding cannot be decrypted.
function algorithm(iv: Uint8Array<ArrayBuffer>, binding: string) {
  return { name: 'AES-GCM', iv, additionalData: encode(PREFIX + binding) };
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  // Refuses characters outside base64url, and unused bits that are not zero, so that each token has exactly one spelling.
  return bytes && toBase64Url(bytes) === text ? bytes : undefined;
}

/** A secret of at least 32 random bytes, from which a key that encrypts `requestState` is derived. */
export type Secret = string | Uint8Array;

/** Converts secrets to bytes. Throws a `TypeError` if a secret has fewer than 32 bytes. */
export function secretsOf(secrets: readonly Secret[]): readonly Uint8Array[] {
  const all = secrets.map((secret) => (typeof secret === 'string' ? encode(secret) : secret));
  if (all.some(({ length }) => length < 32)) throw new TypeError('Each of "keys" must have at least 32 bytes');
  return all;
}

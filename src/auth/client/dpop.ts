/** DPoP (RFC 9449): tokens that are bound to a key, and the proof that the key is at hand. */

import {
  base64url,
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
} from 'jose';
import { isObject } from '../../jsonrpc/message.ts';
import { AuthError } from '../errors.ts';
import { readChallenges } from './challenge.ts';
import type { ServerMetadata } from './server-metadata.ts';

/** A private key as JSON has it. Secret. */
export type DpopJwk = Readonly<Record<string, string>>;

/** What a proof says beside the request. */
export interface ProofOptions {
  /** In place of the nonce that the target gave last. */
  readonly nonce?: string | undefined;
  /** The token that is shown with it. */
  readonly accessToken?: string | undefined;
}

/** An answer, as far as it can ask for a nonce. */
export interface NonceAnswer {
  readonly status: number;
  header(name: string): string | undefined;
  /** Of a token endpoint. */
  readonly body?: string;
}

/** In this order they are preferred. */
const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'Ed25519', 'EdDSA', 'PS256', 'RS256'];
/** The parts of a key that everybody may see. */
const PUBLIC_PARTS = ['kty', 'crv', 'x', 'y', 'n', 'e'];
const NONCE_CODE = 'use_dpop_nonce';
const NONCE = /^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/;
const MAX_ORIGINS = 100;

/** How proofs for this authorization server are signed; an `AuthError` if there is no way that both know. */
export function dpopAlgorithm({ dpop_signing_alg_values_supported: taken }: ServerMetadata): string {
  const alg = ALGORITHMS.find((one) => taken === undefined || taken.includes(one));
  if (alg !== undefined) return alg;
  throw new AuthError(
    'dpop_unsupported',
    `The authorization server takes DPoP proofs by none of ${ALGORITHMS.join(', ')}, and this client knows no others`,
  );
}

/** A key that tokens are bound to. */
export class DpopKey {
  /** How it signs. */
  readonly alg: string;
  readonly #key: CryptoKey;
  readonly #jwk: DpopJwk;

  private constructor(alg: string, key: CryptoKey, jwk: DpopJwk) {
    this.alg = alg;
    this.#key = key;
    this.#jwk = jwk;
  }

  /** A new key. */
  static async generate(alg = 'ES256'): Promise<DpopKey> {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = strings(await exportJWK(privateKey));
    return new DpopKey(alg, privateKey, { ...jwk, alg });
  }

  /** A key that was kept. */
  static async fromJwk(jwk: Readonly<Record<string, unknown>>): Promise<DpopKey> {
    const kept = strings(jwk);
    const { alg } = kept;
    try {
      const key = alg === undefined ? undefined : await importJWK({ ...kept }, alg);
      if (alg !== undefined && key && !(key instanceof Uint8Array) && key.type === 'private') {
        return new DpopKey(alg, key, kept);
      }
    } catch {
      // What libraries say of a key may quote it.
    }
    throw new AuthError('invalid_dpop_key', 'A DPoP key cannot be read: it must be a private JWK with "alg"');
  }

  /** The private key, to be kept. */
  toJwk(): DpopJwk {
    return this.#jwk;
  }

  /** What names the key in the tokens that are bound to it. */
  thumbprint(): Promise<string> {
    return calculateJwkThumbprint(this.#publicJwk());
  }

  /** Signs a proof with these claims. */
  sign(claims: Readonly<Record<string, string>>): Promise<string> {
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: this.alg, typ: 'dpop+jwt', jwk: this.#publicJwk() })
      .setIssuedAt()
      .sign(this.#key);
  }

  #publicJwk(): Record<string, string> {
    return Object.fromEntries(Object.entries(this.#jwk).filter(([name]) => PUBLIC_PARTS.includes(name)));
  }
}

/** Proves, request by request, that a key is at hand; and remembers the nonce that each origin asked for last. */
export class DpopProver {
  readonly key: DpopKey;
  readonly #nonces = new Map<string, string>();

  constructor(key: DpopKey) {
    this.key = key;
  }

  /** The value of the header field `DPoP` for one request; another for each. */
  async prove(method: string, url: URL, { nonce, accessToken }: ProofOptions = {}): Promise<string> {
    const asked = nonce ?? this.#nonces.get(url.origin);
    return this.key.sign({
      jti: crypto.randomUUID(),
      htm: method,
      htu: `${url.origin}${url.pathname}`,
      ...(asked !== undefined && { nonce: asked }),
      ...(accessToken !== undefined && { ath: await digest(accessToken) }),
    });
  }

  /** Remembers the `DPoP-Nonce` that an origin answered with. True if there is one. */
  takeNonce(origin: string, header: string | undefined): boolean {
    if (header === undefined || !NONCE.test(header)) return false;
    this.#nonces.delete(origin);
    const oldest = this.#nonces.size < MAX_ORIGINS ? undefined : this.#nonces.keys().next().value;
    if (oldest !== undefined) this.#nonces.delete(oldest);
    this.#nonces.set(origin, header);
    return true;
  }
}

/** True if the request is to be sent again with a nonce: said by a token endpoint, or by an MCP server. */
export function isNonceChallenge(answer: NonceAnswer): boolean {
  if (answer.status !== 400 && answer.status !== 401) return false;
  const challenges = readChallenges(answer.header('www-authenticate'));
  if (challenges.some(({ scheme, error }) => scheme === 'dpop' && error === NONCE_CODE)) return true;
  try {
    const body: unknown = JSON.parse(answer.body ?? '');
    return isObject(body) && body['error'] === NONCE_CODE;
  } catch {
    return false;
  }
}

async function digest(token: string): Promise<string> {
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))));
}

function strings(jwk: object): DpopJwk {
  return Object.fromEntries(
    Object.entries(jwk).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

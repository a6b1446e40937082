/** DPoP for clients (RFC 9449): keys, proofs and nonces. */

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

/** Private key as a JWK. Secret. */
export type DpopJwk = Readonly<Record<string, string>>;

/** Optional content of a DPoP proof. */
export interface ProofOptions {
  /** Nonce of the proof. Default: the last `DPoP-Nonce` that the origin sent. */
  readonly nonce?: string | undefined;
  /** Access token that is sent with the proof. The proof contains its hash as `ath`. */
  readonly accessToken?: string | undefined;
}

/** The parts of an HTTP response that can demand a nonce. */
export interface NonceAnswer {
  readonly status: number;
  header(name: string): string | undefined;
  /** Body of a token endpoint's response, which names the error as JSON. */
  readonly body?: string;
}

/** Signature algorithms, in order of preference. */
const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'Ed25519', 'EdDSA', 'PS256', 'RS256'];
/** Members of a JWK that are public. */
const PUBLIC_PARTS = ['kty', 'crv', 'x', 'y', 'n', 'e'];
const NONCE_CODE = 'use_dpop_nonce';
const NONCE = /^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/;
const MAX_ORIGINS = 100;

/** Returns the algorithm for proofs. Throws an `AuthError` if client and authorization server have no algorithm in common. */
export function dpopAlgorithm({ dpop_signing_alg_values_supported: taken }: ServerMetadata): string {
  const alg = ALGORITHMS.find((one) => taken === undefined || taken.includes(one));
  if (alg !== undefined) return alg;
  throw new AuthError(
    'dpop_unsupported',
    `The authorization server takes DPoP proofs by none of ${ALGORITHMS.join(', ')}, and this client knows no others`,
  );
}

/** Key pair that access tokens are bound to. */
export class DpopKey {
  readonly alg: string;
  readonly #key: CryptoKey;
  readonly #jwk: DpopJwk;

  private constructor(alg: string, key: CryptoKey, jwk: DpopJwk) {
    this.alg = alg;
    this.#key = key;
    this.#jwk = jwk;
  }

  static async generate(alg = 'ES256'): Promise<DpopKey> {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = strings(await exportJWK(privateKey));
    return new DpopKey(alg, privateKey, { ...jwk, alg });
  }

  /** Imports a stored key. Rejects with an `AuthError` unless it is a private JWK with `alg`. */
  static async fromJwk(jwk: Readonly<Record<string, unknown>>): Promise<DpopKey> {
    const kept = strings(jwk);
    const { alg } = kept;
    try {
      const key = alg === undefined ? undefined : await importJWK({ ...kept }, alg);
      if (alg !== undefined && key && !(key instanceof Uint8Array) && key.type === 'private') {
        return new DpopKey(alg, key, kept);
      }
    } catch {
      // Drops the library's error, because its message could quote the key.
    }
    throw new AuthError('invalid_dpop_key', 'A DPoP key cannot be read: it must be a private JWK with "alg"');
  }

  /** Returns the private key for the credential store. Secret. */
  toJwk(): DpopJwk {
    return this.#jwk;
  }

  /** Returns the JWK thumbprint (RFC 7638), which bound tokens contain as `cnf.jkt`. */
  thumbprint(): Promise<string> {
    return calculateJwkThumbprint(this.#publicJwk());
  }

  /** Signs a DPoP proof with these claims and the current time as `iat`. */
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

/** Creates DPoP proofs with one key, and keeps the last nonce of each origin. */
export class DpopProver {
  readonly key: DpopKey;
  readonly #nonces = new Map<string, string>();

  constructor(key: DpopKey) {
    this.key = key;
  }

  /** Creates the value of the header field `DPoP` for one request. Each request needs a new proof. */
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

  /** Stores the `DPoP-Nonce` of a response for later proofs. Returns true if the header has a valid nonce. */
  takeNonce(origin: string, header: string | undefined): boolean {
    if (header === undefined || !NONCE.test(header)) return false;
    this.#nonces.delete(origin);
    const oldest = this.#nonces.size < MAX_ORIGINS ? undefined : this.#nonces.keys().next().value;
    if (oldest !== undefined) this.#nonces.delete(oldest);
    this.#nonces.set(origin, header);
    return true;
  }
}

/** True if the server demands a nonce (`use_dpop_nonce`): the request must be sent again with the nonce in the proof. */
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

/** Checks DPoP proofs (RFC 9449). */

import {
  base64url,
  calculateJwkThumbprint,
  decodeProtectedHeader,
  EmbeddedJWK,
  errors,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import type { ProofStore } from '../../store/proof-store.ts';
import { memoryProofStore } from '../../store/proof-store.ts';
import { ALGORITHMS } from './algorithms.ts';

/** Reasons to refuse a proof, with their `error_description`. */
export const PROOF_FAULTS = {
  missing: 'The header DPoP must be there once, with a proof',
  malformed: 'The proof cannot be read',
  signature: 'The signature of the proof is not valid',
  key: 'The proof was made with another key than the token is bound to',
  token: 'The proof is for another token',
  method: 'The proof is for another HTTP method',
  url: 'The proof is for another URL',
  time: 'The proof is too old, or from the future',
  reused: 'The proof was used before',
  full: 'Too many proofs were used within a minute: retry later',
} as const;

export type ProofFault = keyof typeof PROOF_FAULTS;

/** A DPoP proof, and the request data that it must match. */
export interface ShownProof {
  /** Value of the header field `DPoP`. */
  readonly proof: string | undefined;
  readonly method: string;
  readonly token: string;
  /** Thumbprint of the key that the token is bound to. */
  readonly jkt: string;
}

const MAX_AGE_SECONDS = 60;
const MAX_AHEAD_SECONDS = 5;
const MAX_LENGTH = 8 * 1024;
const MAX_JTI_LENGTH = 256;
/** Maximum number of used proofs in memory. Per key: 160 requests per second. In total: 11 MB with UUIDs, at most 63 MB. */
const REMEMBERED = { perKey: 10_000, total: 100_000 };
const USE_FAULTS = { first: undefined, again: 'reused', full: 'full' } as const;
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

/** Returns the function that checks proofs of requests to `resource`, the public URL. Rejects if the proof store fails. */
export function proofCheck(
  resource: URL,
  used: ProofStore = memoryProofStore(REMEMBERED),
): (shown: ShownProof) => Promise<ProofFault | undefined> {
  return async ({ proof, method, token, jkt }) => {
    // Proofs contain no comma. A comma means that two `DPoP` header fields were joined.
    if (!proof || proof.includes(',')) return 'missing';
    if (proof.length > MAX_LENGTH) return 'malformed';
    const read = await readProof(proof, jkt);
    if (typeof read === 'string') return read;
    const { htm, htu, ath, jti, iat } = read;
    if (ath !== (await hashOf(token))) return 'token';
    if (htm !== method) return 'method';
    if (typeof htu !== 'string' || placeOf(htu) !== placeOf(resource.href)) return 'url';
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH) return 'malformed';
    if (typeof iat !== 'number') return 'malformed';
    const age = Date.now() / 1000 - iat;
    if (age > MAX_AGE_SECONDS || age < -MAX_AHEAD_SECONDS) return 'time';
    return USE_FAULTS[await used.use(jkt, jti, (iat + MAX_AGE_SECONDS + 1) * 1000)];
  };
}

async function readProof(proof: string, jkt: string): Promise<JWTPayload | ProofFault> {
  try {
    const { jwk, crit } = decodeProtectedHeader(proof);
    if (!jwk || crit !== undefined || PRIVATE_MEMBERS.some((member) => member in jwk)) return 'malformed';
    // Compares the key first, because verifying a signature costs more, especially with a key that an attacker chose.
    if ((await calculateJwkThumbprint(jwk)) !== jkt) return 'key';
    const rules = { typ: 'dpop+jwt', algorithms: [...ALGORITHMS], clockTolerance: MAX_AHEAD_SECONDS };
    return (await jwtVerify(proof, EmbeddedJWK, rules)).payload;
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
    if (error instanceof errors.JWTExpired) return 'time';
    return 'malformed';
  }
}

async function hashOf(token: string): Promise<string> {
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))));
}

/** Returns origin and path. The claim `htu` has no query. */
function placeOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}

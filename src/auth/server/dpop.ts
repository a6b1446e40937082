/** Proofs that a caller has the key its token is bound to (RFC 9449). */

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

/** Why a proof is not accepted. */
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

/** One of the reasons. */
export type ProofFault = keyof typeof PROOF_FAULTS;

/** A proof, and what it has to prove. */
export interface ShownProof {
  /** The header `DPoP`. */
  readonly proof: string | undefined;
  readonly method: string;
  readonly token: string;
  /** The thumbprint of the key the token is bound to. */
  readonly jkt: string;
}

const MAX_AGE_SECONDS = 60;
const MAX_AHEAD_SECONDS = 5;
const MAX_LENGTH = 8 * 1024;
const MAX_JTI_LENGTH = 256;
/** 10,000 of a key are 160 requests in a second. 100,000 take 11 MB if their ids are UUIDs, and 63 MB at most. */
const REMEMBERED = { perKey: 10_000, total: 100_000 };
const USE_FAULTS = { first: undefined, again: 'reused', full: 'full' } as const;
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

/**
 * Checks proofs for requests to one URL. That is the URL clients know, not the one this process is reached at: a proxy may
 * be in between. Rejects if the store of used proofs fails.
 */
export function proofCheck(
  resource: URL,
  used: ProofStore = memoryProofStore(REMEMBERED),
): (shown: ShownProof) => Promise<ProofFault | undefined> {
  return async ({ proof, method, token, jkt }) => {
    // A proof has no comma: two header fields of that name have been joined with one.
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
    // A signature costs more to check than this, and a key of anybody's choice might cost a lot.
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

/** Scheme, host and path; a proof says nothing of the query. */
function placeOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}

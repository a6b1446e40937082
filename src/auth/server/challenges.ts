/** What callers are told who are not let in: RFC 6750, with RFC 9728 and RFC 9449. */

import type { Challenge } from '../../protocol/http/authenticate.ts';
import { ALGORITHMS } from './algorithms.ts';
import { COOLDOWN_MS } from './cooldown.ts';
import { PROOF_FAULTS, type ProofFault } from './dpop.ts';
import { TOKEN_FAULTS, type TokenFault } from './token.ts';

/** How a token is shown. */
export type Scheme = 'bearer' | 'dpop';

/** All that a caller can be told. */
export interface Challenges {
  /** Nothing was shown that could be checked. */
  readonly missing: Challenge;
  /** What was shown breaks the rules of showing it. */
  invalidRequest(description: string): Challenge;
  invalidToken(scheme: Scheme, fault: TokenFault): Challenge;
  invalidProof(fault: ProofFault): Challenge;
  /** Names what every request needs, and these. */
  insufficientScope(scopes: readonly string[], scheme?: Scheme): Challenge;
  /** It cannot be found out now. */
  readonly unavailable: Challenge;
}

/** What the challenges are about. */
export interface ChallengeFacts {
  readonly metadataUrl: string;
  /** What every request needs. */
  readonly scopes: readonly string[];
  /** The scheme that clients are asked to use. */
  readonly scheme: Scheme;
}

type Parameters = Readonly<Record<string, string | undefined>>;

/** The challenges of one resource. */
export function challengesOf({ metadataUrl, scopes, scheme: asked }: ChallengeFacts): Challenges {
  const needed = (more: readonly string[] = []): string => [...new Set([...scopes, ...more])].join(' ');
  const where = { resource_metadata: metadataUrl, scope: needed() };
  const unauthorized = (scheme: Scheme, error?: string, description?: string): Challenge =>
    challenge(401, scheme, { ...where, error, error_description: description }, description);
  return {
    missing: unauthorized(asked),
    invalidRequest: (description) => unauthorized(asked, 'invalid_request', description),
    invalidToken: (scheme, fault) => unauthorized(scheme, 'invalid_token', TOKEN_FAULTS[fault]),
    invalidProof: (fault) =>
      // A client that gets 401 would look for another token, and that would not help.
      fault === 'full'
        ? retryLater(PROOF_FAULTS.full)
        : unauthorized('dpop', 'invalid_dpop_proof', PROOF_FAULTS[fault]),
    insufficientScope(more, scheme = asked) {
      const scope = needed(more);
      const description = 'The token lacks a scope that the request needs';
      const parameters = { error: 'insufficient_scope', scope, resource_metadata: metadataUrl };
      const told = `The request needs a token with the scope "${scope}"`;
      return challenge(403, scheme, { ...parameters, error_description: description }, told);
    },
    unavailable: retryLater('Tokens cannot be checked at the moment'),
  };
}

function retryLater(message: string): Challenge {
  return { status: 503, headers: { 'Retry-After': String(Math.ceil(COOLDOWN_MS / 1000)) }, message };
}

function challenge(status: 401 | 403, scheme: Scheme, parameters: Parameters, message?: string): Challenge {
  const value =
    scheme === 'bearer'
      ? authenticateField('Bearer', parameters)
      : authenticateField('DPoP', { ...parameters, algs: ALGORITHMS.join(' ') });
  return { status, headers: { 'WWW-Authenticate': value }, ...(message && { message }) };
}

/** A value of `WWW-Authenticate`; parameters without a value are left out. */
export function authenticateField(scheme: string, parameters: Parameters): string {
  const written = Object.entries(parameters).flatMap(([name, value]) =>
    value ? `${name}=${quotedString(value)}` : [],
  );
  return `${scheme} ${written.join(', ')}`;
}

function quotedString(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}

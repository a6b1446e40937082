/** HTTP challenges for refused requests (RFC 6750, RFC 9728, RFC 9449). */

import type { Challenge } from '../../protocol/http/authenticate.ts';
import { ALGORITHMS } from './algorithms.ts';
import { COOLDOWN_MS } from './cooldown.ts';
import { PROOF_FAULTS, type ProofFault } from './dpop.ts';
import { TOKEN_FAULTS, type TokenFault } from './token.ts';

export type Scheme = 'bearer' | 'dpop';

export interface Challenges {
  /** Challenge for requests without usable credentials. */
  readonly missing: Challenge;
  /** Challenge for malformed requests, such as a token in the URL. */
  invalidRequest(description: string): Challenge;
  invalidToken(scheme: Scheme, fault: TokenFault): Challenge;
  invalidProof(fault: ProofFault): Challenge;
  /** Challenge that names `scopes` and the scopes that every request requires. */
  insufficientScope(scopes: readonly string[], scheme?: Scheme): Challenge;
  /** Challenge with status 503: tokens cannot be checked at the moment. */
  readonly unavailable: Challenge;
}

export interface ChallengeFacts {
  readonly metadataUrl: string;
  /** Scopes that every request requires. */
  readonly scopes: readonly string[];
  /** Authentication scheme that clients are asked to use. */
  readonly scheme: Scheme;
}

type Parameters = Readonly<Record<string, string | undefined>>;

/** Creates the challenges of one resource. */
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
      // 503, because a client that gets 401 would obtain another token, which does not help.
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

/** Formats a `WWW-Authenticate` value. Omits parameters without a value. */
export function authenticateField(scheme: string, parameters: Parameters): string {
  const written = Object.entries(parameters).flatMap(([name, value]) =>
    value ? `${name}=${quotedString(value)}` : [],
  );
  return `${scheme} ${written.join(', ')}`;
}

function quotedString(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}

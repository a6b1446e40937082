/** Result of checking a token: the principal, or why the token is refused. */

import type { MaybePromise } from '../../jsonrpc/maybe-promise.ts';
import type { HttpRequest } from '../../protocol/http/authenticate.ts';
import type { Principal } from '../../protocol/principal.ts';

/** Reasons to refuse a token, with their `error_description`. It reveals nothing of the token's content. */
export const TOKEN_FAULTS = {
  malformed: 'The token cannot be read',
  type: 'The token is not an access token',
  algorithm: 'The algorithm the token is signed with is not accepted',
  signature: 'The signature of the token is not valid',
  issuer: 'The token comes from another issuer',
  audience: 'The token was not issued for this server',
  expired: 'The token has expired',
  early: 'The token is not valid yet',
  inactive: 'The token is not valid',
  subject: 'The token does not say whom it was issued for',
  confirmation: 'The token is bound to something that cannot be checked here',
  bound: 'The token is bound to a key: it needs the scheme DPoP and a proof',
  unbound: 'The token is not bound to a key: the scheme DPoP is not for it',
} as const;

export type TokenFault = keyof typeof TOKEN_FAULTS;

/** A valid token. DPoP proof and scopes are not checked yet. */
export interface VerifiedToken {
  readonly principal: Principal;
  /** Thumbprint of the DPoP key that the token is bound to (RFC 9449). */
  readonly jkt: string | undefined;
}

/** Claims of a refused token. They are not verified; texts are escaped and cut to 200 characters. */
export interface ReceivedClaims {
  readonly issuer?: string;
  /** At most 5 audiences. */
  readonly audience?: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Milliseconds since 1970. */
  readonly notBefore?: number;
}

export interface InvalidToken {
  readonly fault: TokenFault;
  /** Claims of the token, if they are known. */
  readonly received: ReceivedClaims | undefined;
}

/** Result of a token check. `unavailable`: the check was not possible, and the reason was reported. */
export type Verdict = VerifiedToken | InvalidToken | 'unavailable';

export type TokenCheck = (token: string, request: HttpRequest) => MaybePromise<Verdict>;

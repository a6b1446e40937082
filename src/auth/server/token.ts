/** What becomes of a token that is checked: who is calling, or why it is not accepted. */

import type { MaybePromise } from '../../jsonrpc/maybe-promise.ts';
import type { HttpRequest } from '../../protocol/http/authenticate.ts';
import type { Principal } from '../../protocol/principal.ts';

/** Why a token is not accepted, in words for whoever sent it: they tell nothing of what is inside. */
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

/** One of the reasons. */
export type TokenFault = keyof typeof TOKEN_FAULTS;

/** A token that is good, as far as that can be said without the rest of the request. */
export interface VerifiedToken {
  readonly principal: Principal;
  /** The thumbprint of the key that the token is bound to (RFC 9449). */
  readonly jkt: string | undefined;
}

/** The claims of a token as received. None of them is verified: text is escaped and cut to 200 characters. */
export interface ReceivedClaims {
  readonly issuer?: string;
  /** At most 5 of its audiences. */
  readonly audience?: readonly string[];
  /** In milliseconds since 1970. */
  readonly expiresAt?: number;
  /** In milliseconds since 1970. */
  readonly notBefore?: number;
}

/** A token that is not accepted. */
export interface InvalidToken {
  readonly fault: TokenFault;
  /** What the token says, where that is known. */
  readonly received: ReceivedClaims | undefined;
}

/** `unavailable`: it could not be found out, and the operator has been told why. */
export type Verdict = VerifiedToken | InvalidToken | 'unavailable';

/** A way to check tokens. */
export type TokenCheck = (token: string, request: HttpRequest) => MaybePromise<Verdict>;

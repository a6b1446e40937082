/** Who is calling, as an authenticator vouches for it. */

/** An authenticated caller. Never taken from what a client says of itself. */
export interface Principal {
  /** Who vouches: the issuer of the token. */
  readonly issuer?: string;
  /** Whom the call is made for, within the issuer. */
  readonly subject: string;
  /** The client software the call is made with. */
  readonly clientId?: string;
  /** What was granted, with everything that follows from it: what needs a scope asks for it by its name. */
  readonly scopes?: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** One string per principal: it outlives a token, so a refresh in the middle of a flow breaks nothing. */
export function principalKey(principal: Principal | undefined): string {
  if (!principal) return '';
  return JSON.stringify([principal.issuer ?? '', principal.subject, principal.clientId ?? '']);
}

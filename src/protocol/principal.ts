/** The authenticated caller, as an authenticator returns it. */

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
  /**
   * Until when what the caller showed is good, in milliseconds since 1970. Streams over HTTP that only tell of changes, and
   * WebSockets, are ended then. Without it they are not.
   */
  readonly expiresAt?: number;
}

/** One string per principal: it outlives a token, so a refresh in the middle of a flow breaks nothing. */
export function principalKey(principal: Principal | undefined): string {
  if (!principal) return '';
  return JSON.stringify([principal.issuer ?? '', principal.subject, principal.clientId ?? '']);
}

// What RFC 6749 lets a scope be made of: a challenge names it between quotes.
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** True for what can be a scope. */
export function isScope(value: unknown): value is string {
  return typeof value === 'string' && SCOPE.test(value);
}

// A time in seconds would be long over.
const IN_SECONDS = 10 ** 11;

/** Throws a TypeError if this cannot be a caller; it names `who` gave it. */
export function checkPrincipal({ subject, scopes, expiresAt }: Principal, who: string): void {
  // Callers without a name would all be one.
  if (typeof subject !== 'string' || subject === '') {
    throw new TypeError(`The principal of ${who} must have a "subject": a text that is not empty`);
  }
  // In a text "read" would be found in "readonly".
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string'))) {
    throw new TypeError(`The "scopes" of the principal of ${who} must be a list of texts, such as ["files:read"]`);
  }
  if (expiresAt !== undefined && !(typeof expiresAt === 'number' && expiresAt > IN_SECONDS)) {
    throw new TypeError(`The "expiresAt" of the principal of ${who} must be a number of milliseconds since 1970`);
  }
}

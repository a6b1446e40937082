/** `Principal`: the authenticated identity behind a request. */

/** The authenticated identity behind a request. Only authenticators make it; the unverified `clientInfo` is no part of it. */
export interface Principal {
  /** Issuer of the token, such as the URL of the authorization server. */
  readonly issuer?: string;
  /** Identifier of the user or service, unique within the issuer. */
  readonly subject: string;
  /** OAuth client id of the application that acts for the subject. */
  readonly clientId?: string;
  /** Granted scopes. They are compared by name, so a scope that implies others must be listed together with them. */
  readonly scopes?: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
  /**
   * Expiry of the credentials, in milliseconds since 1970. WebSockets, and HTTP streams that carry only change notifications, are
   * closed at that time. Default: they stay open.
   */
  readonly expiresAt?: number;
}

/** Returns a key that identifies the issuer, subject and client id. It stays the same when the token is refreshed. */
export function principalKey(principal: Principal | undefined): string {
  if (!principal) return '';
  return JSON.stringify([principal.issuer ?? '', principal.subject, principal.clientId ?? '']);
}

// Matches `scope-token` of RFC 6749, section 3.3.
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** True for a syntactically valid scope. */
export function isScope(value: unknown): value is string {
  return typeof value === 'string' && SCOPE.test(value);
}

// Minimum of `expiresAt`, a time in March 1973. A smaller number is a time in seconds, given by mistake.
const MIN_MILLISECONDS = 10 ** 11;

/** Throws a `TypeError` if the principal is malformed. `source` names the option or function that the principal comes from. */
export function checkPrincipal({ subject, scopes, expiresAt }: Principal, source: string): void {
  // An empty subject is refused: all callers without one would be the same principal.
  if (typeof subject !== 'string' || subject === '') {
    throw new TypeError(`The principal of ${source} must have a "subject": a string that is not empty`);
  }
  // A string is refused, since its `includes` would find "read" in "readonly".
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string'))) {
    throw new TypeError(
      `The "scopes" of the principal of ${source} must be an array of strings, such as ["files:read"]`,
    );
  }
  if (expiresAt !== undefined && !(typeof expiresAt === 'number' && expiresAt > MIN_MILLISECONDS)) {
    throw new TypeError(`The "expiresAt" of the principal of ${source} must be a number of milliseconds since 1970`);
  }
}

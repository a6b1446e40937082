/** `Principal`: the authenticated caller, as an authenticator returns it. */

/** An authenticated caller. Only authenticators make it; `clientInfo` of a client is no part of it. */
export interface Principal {
  /** Issuer of the token. */
  readonly issuer?: string;
  /** The user or service, unique within the issuer. */
  readonly subject: string;
  /** OAuth client id of the application. */
  readonly clientId?: string;
  /** Granted scopes. They are compared by name: scopes that imply others must list them. */
  readonly scopes?: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
  /**
   * Expiry of the credentials, in milliseconds since 1970. WebSockets, and HTTP streams that carry only change notifications, are
   * closed then. Default: they stay open.
   */
  readonly expiresAt?: number;
}

/** Returns a key of issuer, subject and client id. It stays the same when the token is refreshed. */
export function principalKey(principal: Principal | undefined): string {
  if (!principal) return '';
  return JSON.stringify([principal.issuer ?? '', principal.subject, principal.clientId ?? '']);
}

// `scope-token` of RFC 6749, section 3.3.
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** True for a syntactically valid scope. */
export function isScope(value: unknown): value is string {
  return typeof value === 'string' && SCOPE.test(value);
}

// Minimum of `expiresAt`, in March 1973. A smaller number is a time in seconds, given by mistake.
const MIN_MILLISECONDS = 10 ** 11;

/** Throws a `TypeError` if the principal is malformed. `source` names the option or function that returned it. */
export function checkPrincipal({ subject, scopes, expiresAt }: Principal, source: string): void {
  // All callers without a subject would be the same principal.
  if (typeof subject !== 'string' || subject === '') {
    throw new TypeError(`The principal of ${source} must have a "subject": a string that is not empty`);
  }
  // In a string, `includes` would find "read" in "readonly".
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string'))) {
    throw new TypeError(
      `The "scopes" of the principal of ${source} must be an array of strings, such as ["files:read"]`,
    );
  }
  if (expiresAt !== undefined && !(typeof expiresAt === 'number' && expiresAt > MIN_MILLISECONDS)) {
    throw new TypeError(`The "expiresAt" of the principal of ${source} must be a number of milliseconds since 1970`);
  }
}

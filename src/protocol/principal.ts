/** `Principal`: the authenticated identity behind a request. */

/** The authenticated identity behind a request. The unverified `clientInfo` is not part of the principal. */
export interface Principal {
  /** Issuer of the token, such as the URL of the authorization server. */
  readonly issuer?: string;
  /** Identifier of the user or service, unique within the issuer. */
  readonly subject: string;
  /** OAuth client id of the application that acts for the subject. */
  readonly clientId?: string;
  /** Granted scopes. Scopes are compared by name: if a scope implies other scopes, list the implied scopes as well. */
  readonly scopes?: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
  /**
   * Expiry of the credentials, in milliseconds since 1970. At that time the server closes WebSocket and HTTP+SSE connections,
   * and HTTP streams that carry only change notifications. Default: no expiry.
   */
  readonly expiresAt?: number;
}

/** Returns a key made of issuer, subject and client id, which a token refresh does not change; empty without a principal. */
export function principalKey(principal: Principal | undefined): string {
  if (!principal) return '';
  return JSON.stringify([principal.issuer ?? '', principal.subject, principal.clientId ?? '']);
}

// Matches `scope-token` of RFC 6749, section 3.3.
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

export function isScope(value: unknown): value is string {
  return typeof value === 'string' && SCOPE.test(value);
}

// Smallest accepted `expiresAt`, a time in March 1973. Smaller values are probably seconds instead of milliseconds.
const MIN_MILLISECONDS = 10 ** 11;

/** Throws a `TypeError` if the principal is malformed. `source` names the option or function that provided the principal. */
export function checkPrincipal({ subject, scopes, expiresAt }: Principal, source: string): void {
  // An empty subject is refused, because all callers without a subject would share one principal.
  if (typeof subject !== 'string' || subject === '') {
    throw new TypeError(`The principal of ${source} must have a "subject": a string that is not empty`);
  }
  // `scopes` must not be a string, because `'readonly'.includes('read')` would grant the scope `read`.
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string'))) {
    throw new TypeError(
      `The "scopes" of the principal of ${source} must be an array of strings, such as ["files:read"]`,
    );
  }
  if (expiresAt !== undefined && !(typeof expiresAt === 'number' && expiresAt > MIN_MILLISECONDS)) {
    throw new TypeError(`The "expiresAt" of the principal of ${source} must be a number of milliseconds since 1970`);
  }
}

/** Whether an authenticator vouched for somebody who can be a caller. */

import type { Principal } from './principal.ts';

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

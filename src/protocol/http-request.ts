/** HTTP, as far as those need to know it who do not move messages: authenticators and the guards of transports. */

import type { Principal } from './principal.ts';

/** The head of an HTTP request. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as the client sent them. */
  readonly target: string;
  /** A header field by its name in lower case; several lines of one name are joined with a comma. */
  header(name: string): string | undefined;
}

/** What a client showed in `Authorization`. */
export interface Credentials {
  /** In lower case: `bearer`. */
  readonly scheme: string;
  readonly token: string;
}

/** Why a caller is not let in, as HTTP says it. */
export interface Challenge {
  readonly status: 401 | 403;
  /** For instance `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For people. */
  readonly message?: string;
}

/** Says who is calling, or what is missing. It is asked for every request, before the body is read. */
export type Authenticate = (
  credentials: Credentials | undefined,
  request: HttpRequest,
) => Principal | Challenge | Promise<Principal | Challenge>;

/** True for a caller that is not let in. */
export function isChallenge(outcome: Principal | Challenge): outcome is Challenge {
  return 'status' in outcome && !('subject' in outcome);
}

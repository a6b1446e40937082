/** HTTP, as far as those need to know it who do not move messages: authenticators and the guards of transports. */

import type { Principal } from '../principal.ts';

/** The head of an HTTP request. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as the client sent them. */
  readonly target: string;
  /** A header field by its name in lower case; several lines of one name are joined with a comma. */
  header(name: string): string | undefined;
  /**
   * The request as the runtime or framework passed it: Node's `IncomingMessage`, within Express its `Request`, or the web's
   * `Request`. For what a framework has put there, for instance the user of a login session.
   */
  readonly raw?: unknown;
}

/** What a client showed in `Authorization`. */
export interface Credentials {
  /** In lower case: `bearer`. */
  readonly scheme: string;
  readonly token: string;
}

/** Why a caller is not let in, as HTTP says it. */
export interface Challenge {
  /** 503: who is calling cannot be found out at the moment. */
  readonly status: 400 | 401 | 403 | 503;
  /** For instance `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For people. */
  readonly message?: string;
  /**
   * Who is calling, if nothing but scopes is missing that every request needs. Then a POST is refused once it is known
   * which scopes its message needs, too: `insufficientScope` of `protectedResource` names all of them at once.
   */
  readonly principal?: Principal;
}

/** What a server tells clients of how to be let in (RFC 9728). */
export interface ProtectedResource {
  /** Where clients find `metadata`: a URL on the server's own origin. */
  readonly metadataUrl: string;
  /** The protected resource metadata, as it is shown to everybody. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** For a caller who is known, but lacks one of these scopes, or one of those that every request needs. */
  insufficientScope(scopes: readonly string[], principal?: Principal): Challenge;
}

/** Says who is calling, or what is missing. It is asked for every request, before the body is read. */
export interface Authenticate {
  /** Gives the caller, or why it is not let in. */
  (credentials: Credentials | undefined, request: HttpRequest): Principal | Challenge | Promise<Principal | Challenge>;
  /** How to be let in; the endpoint shows it to everybody who asks. */
  readonly protectedResource?: ProtectedResource;
}

/** True for a caller that is not let in. */
export function isChallenge(outcome: Principal | Challenge): outcome is Challenge {
  return 'status' in outcome && !('subject' in outcome);
}

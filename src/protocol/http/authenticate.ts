/** Types of authenticators: the HTTP request that they get, and the principal or challenge that they return. */

import type { Principal } from '../principal.ts';

/** Method, target and header fields of an HTTP request, without its body. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as the client sent them. */
  readonly target: string;
  /** Returns the value of a header field, given its lower-case name. Repeated fields are joined with a comma. */
  header(name: string): string | undefined;
  /**
   * The request object of the runtime or framework: `IncomingMessage` of Node, `Request` of Express, or a web `Request`. It has
   * properties that a framework adds, such as the user of a login session.
   */
  readonly raw?: unknown;
}

/** The content of the header field `Authorization`. */
export interface Credentials {
  /** Authentication scheme in lower case, such as `bearer`. */
  readonly scheme: string;
  readonly token: string;
}

/** The HTTP response with which an authenticator refuses a request. */
export interface Challenge {
  /** HTTP status. 503 means that authentication is temporarily unavailable. */
  readonly status: 400 | 401 | 403 | 503;
  /** Header fields of the response, such as `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Explanation for people, sent in the body of the response. */
  readonly message?: string;
  /**
   * The principal, if it lacks only scopes that every request requires. The body of a POST is then read before the request is
   * refused, so that `protectedResource.insufficientScope` can also name the scopes that its message requires.
   */
  readonly principal?: Principal;
}

/** Protected resource metadata (RFC 9728), by which clients find the authorization server. */
export interface ProtectedResource {
  /** URL at which `metadata` is served, on the origin of the server. */
  readonly metadataUrl: string;
  /** The metadata document. It is public: unauthenticated clients get it. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Returns the 403 response for a principal that lacks one of these scopes, or one that every request requires. */
  insufficientScope(scopes: readonly string[], principal?: Principal): Challenge;
}

/** An authenticator. It is called for every HTTP request, before the body is read. */
export interface Authenticate {
  /** Returns the principal of the request, or the challenge that refuses it. */
  (credentials: Credentials | undefined, request: HttpRequest): Principal | Challenge | Promise<Principal | Challenge>;
  /** Protected resource metadata. The endpoint serves it to unauthenticated clients. */
  readonly protectedResource?: ProtectedResource;
}

/** True if the outcome of an authenticator is a challenge. */
export function isChallenge(outcome: Principal | Challenge): outcome is Challenge {
  return 'status' in outcome && !('subject' in outcome);
}

/** Types of HTTP authenticators: their input, and the principal or challenge that they return. */

import type { Principal } from '../principal.ts';

/** Method, target and header fields of an HTTP request, without the body. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as the client sent them. */
  readonly target: string;
  /** Returns the value of the header field with this lower-case name. Values of repeated fields are joined with commas. */
  header(name: string): string | undefined;
  /** Node's `IncomingMessage` or a web `Request`, with the properties that a framework adds, such as the logged-in user. */
  readonly raw?: unknown;
}

/** Scheme and token of the `Authorization` header field. */
export interface Credentials {
  /** Authentication scheme in lower case, such as `bearer`. */
  readonly scheme: string;
  readonly token: string;
}

/** The HTTP response with which an authenticator refuses a request. */
export interface Challenge {
  /** HTTP status. 503 means that authentication is temporarily unavailable. */
  readonly status: 400 | 401 | 403 | 503;
  readonly headers?: Readonly<Record<string, string>>;
  /** Explanation for developers and users, sent in the body of the response. */
  readonly message?: string;
  /**
   * Set if the caller is authenticated but lacks scopes that every request requires. The body of a POST is then read before the
   * request is refused, so that the 403 response can also name the scopes that the request in the body requires.
   */
  readonly principal?: Principal;
}

/** Protected resource metadata (RFC 9728), with which clients find the authorization server. */
export interface ProtectedResource {
  /** URL at which `metadata` is served, on the origin of the server. */
  readonly metadataUrl: string;
  /** Protected resource metadata document (RFC 9728), which unauthenticated clients can read. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Returns the 403 response that names `scopes` and the scopes that every request requires. */
  insufficientScope(scopes: readonly string[], principal?: Principal): Challenge;
}

/** An authenticator, called for every HTTP request before the body is read. */
export interface Authenticate {
  /** Returns the principal of the request, or the challenge that refuses the request. */
  (credentials: Credentials | undefined, request: HttpRequest): Principal | Challenge | Promise<Principal | Challenge>;
  /** Protected resource metadata, which the MCP endpoint serves to unauthenticated clients. */
  readonly protectedResource?: ProtectedResource;
}

export function isChallenge(outcome: Principal | Challenge): outcome is Challenge {
  return 'status' in outcome && !('subject' in outcome);
}

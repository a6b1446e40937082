/** Interfaces of authenticators: the HTTP request they see, and the principal or challenge they return. */

import type { Principal } from '../principal.ts';

/** Method, target and header fields of an HTTP request. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as the client sent them. */
  readonly target: string;
  /** Returns a header field by its lower-case name. Repeated fields are joined with a comma. */
  header(name: string): string | undefined;
  /**
   * The request object of the runtime or framework: `IncomingMessage` of Node, `Request` of Express, or a web `Request`. Use it
   * for properties that a framework adds, such as the user of a login session.
   */
  readonly raw?: unknown;
}

/** The content of the header `Authorization`. */
export interface Credentials {
  /** Authentication scheme in lower case, such as `bearer`. */
  readonly scheme: string;
  readonly token: string;
}

/** The HTTP response to a request that is refused. */
export interface Challenge {
  /** 503 means that authentication is temporarily unavailable. */
  readonly status: 400 | 401 | 403 | 503;
  /** Header fields of the response, such as `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text for people, in the body of the response. */
  readonly message?: string;
  /**
   * The caller, if it only lacks scopes that every request requires. A POST is then refused after its body was read, so that
   * `insufficientScope` of `protectedResource` can also name the scopes that its message requires.
   */
  readonly principal?: Principal;
}

/** Protected resource metadata (RFC 9728), with which clients find the authorization server. */
export interface ProtectedResource {
  /** URL of `metadata`, on the origin of the server. */
  readonly metadataUrl: string;
  /** The metadata document. It is public. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Returns the 403 for a caller that lacks one of these scopes, or one that every request requires. */
  insufficientScope(scopes: readonly string[], principal?: Principal): Challenge;
}

/** Authenticates a request. Called for every request, before its body is read. */
export interface Authenticate {
  /** Returns the principal, or the challenge that refuses the request. */
  (credentials: Credentials | undefined, request: HttpRequest): Principal | Challenge | Promise<Principal | Challenge>;
  /** Metadata that the endpoint serves to unauthenticated clients. */
  readonly protectedResource?: ProtectedResource;
}

/** True if an authenticator refused the request. */
export function isChallenge(outcome: Principal | Challenge): outcome is Challenge {
  return 'status' in outcome && !('subject' in outcome);
}

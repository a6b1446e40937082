/** Requests to authorization servers and their answers, as data: what the steps build and read, and nobody else. */

import type { Reach } from './targets.ts';

/** A request, ready to be sent. Redirects are never followed by whoever sends it. */
export interface OAuthRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer, read to its end. */
export interface OAuthResponse {
  readonly status: number;
  /** A header field, by its name in lower case. */
  header(name: string): string | undefined;
  readonly body: string;
}

/** How a request may be sent. */
export interface SendLimits {
  /** Gives the request up. */
  readonly signal: AbortSignal;
  /** The most restricted network that may be reached: that of the MCP server, or any if the URL was configured. */
  readonly reach: Reach;
}

/**
 * Sends a request and reads its answer: 1 MiB and 10 seconds at most. Rejects with an `AuthError` that says what is wrong:
 * `unreachable` (retryable), `timeout` (retryable), `too_large`, `forbidden_address`, `redirected` where redirects cannot
 * be seen; with the signal's reason if given up.
 */
export type Send = (request: OAuthRequest, limits: SendLimits) => Promise<OAuthResponse>;

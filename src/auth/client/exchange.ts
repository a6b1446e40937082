/** HTTP requests to authorization servers and their responses, as plain data. */

import type { Reach } from './targets.ts';

/** HTTP request to an authorization server. Senders must not follow redirects. */
export interface OAuthRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** Header fields, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** HTTP response with its complete body. */
export interface OAuthResponse {
  readonly status: number;
  /** Returns the header field with this lower-case name. */
  header(name: string): string | undefined;
  readonly body: string;
}

export interface SendLimits {
  readonly signal: AbortSignal;
  /** SSRF policy: the most restricted network that the request may reach (order: `public`, `private`, `loopback`). */
  readonly reach: Reach;
}

/**
 * Sends a request and reads at most 1 MiB within 10 seconds. Rejects with the signal's reason, or with an `AuthError`:
 * `unreachable` and `timeout` (both retryable), `too_large`, `forbidden_address`, `redirected` (if the runtime hides
 * redirects).
 */
export type Send = (request: OAuthRequest, limits: SendLimits) => Promise<OAuthResponse>;

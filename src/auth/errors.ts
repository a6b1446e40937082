/** `AuthError`: errors of authorization, without secrets in message and details. */

import { McpError } from '../jsonrpc/errors.ts';
import { printable } from '../jsonrpc/printable.ts';

const MAX_MESSAGE_LENGTH = 2000;

/** One step of an authorization flow. Contains no secrets. */
export interface AuthStep {
  /** Kind of step, such as `protected resource metadata`. */
  readonly what: string;
  /** URL of the request, without its query. */
  readonly url?: string;
  /** HTTP status of the response. */
  readonly status?: number;
  /** Result of the step, such as `found`, or the violated rule. */
  readonly outcome: string;
}

/** Challenge of a server that refused a request (`WWW-Authenticate`). */
export interface AuthChallenge {
  /** Authentication scheme in lower case: `bearer` or `dpop`. */
  readonly scheme: string;
  /** Error code, such as `insufficient_scope`. */
  readonly error?: string;
  /** `error_description` of the server, as one line without control characters, cut after 200 characters. */
  readonly description?: string;
  readonly scopes?: readonly string[];
  /** URL of the protected resource metadata (RFC 9728). */
  readonly resourceMetadata?: string;
}

export interface AuthErrorDetails {
  readonly trace?: readonly AuthStep[] | undefined;
  readonly challenge?: AuthChallenge | undefined;
  readonly isRetryable?: boolean | undefined;
}

/** Error of an authorization flow, or of a refused request. `code` is the error code of the RFCs where there is one. */
export class AuthError extends McpError {
  override readonly name = 'AuthError';
  readonly code: string;
  /** Steps of the flow, in order. Contains no secrets, so it can be pasted into an issue. */
  readonly trace: readonly AuthStep[];
  /** Challenge of the server, if it caused the error. */
  readonly challenge: AuthChallenge | undefined;
  /** True if a retry can succeed. Stored credentials are kept. */
  readonly isRetryable: boolean;

  // No `cause`: errors of libraries can contain response bodies with tokens.
  constructor(code: string, message: string, details: AuthErrorDetails = {}) {
    // Messages and steps quote other parties, so they are escaped here, once for all callers.
    const trace = (details.trace ?? []).map(printableStep);
    super(withTrace(printable(message, MAX_MESSAGE_LENGTH), trace));
    this.code = code;
    this.trace = trace;
    this.challenge = details.challenge;
    this.isRetryable = details.isRetryable ?? false;
  }
}

function printableStep({ what, url, status, outcome }: AuthStep): AuthStep {
  return {
    what,
    ...(url !== undefined && { url: printable(url) }),
    ...(status !== undefined && { status }),
    outcome: printable(outcome, 500),
  };
}

function withTrace(message: string, trace: readonly AuthStep[]): string {
  const lines = trace.map(({ what, url, status, outcome }) => {
    const asked = [what, url, status === undefined ? undefined : `status ${status}`].filter(Boolean).join(', ');
    return `  ${asked}: ${outcome}`;
  });
  return lines.length === 0 ? message : `${message}\nWhat was tried:\n${lines.join('\n')}`;
}

/** What goes wrong while somebody tries to be let in, told so that it can be shown to others. */

import { McpError } from '../jsonrpc/errors.ts';
import { printable } from '../jsonrpc/printable.ts';

const MAX_MESSAGE_LENGTH = 2000;

/** One thing that was tried. Nothing in it is secret. */
export interface AuthStep {
  /** For instance `protected resource metadata`. */
  readonly what: string;
  /** What was asked, without its query. */
  readonly url?: string;
  /** The HTTP status that came back. */
  readonly status?: number;
  /** What came of it: `found`, or the rule that was broken. */
  readonly outcome: string;
}

/** What a server said when it did not let a request in. */
export interface AuthChallenge {
  /** In lower case: `bearer` or `dpop`. */
  readonly scheme: string;
  /** For instance `insufficient_scope`. */
  readonly error?: string;
  /** The server's `error_description`: one line of at most 200 characters, without control characters. */
  readonly description?: string;
  readonly scopes?: readonly string[];
  /** Where it says how to be let in. */
  readonly resourceMetadata?: string;
}

/** What is known beside the message. */
export interface AuthErrorDetails {
  readonly trace?: readonly AuthStep[] | undefined;
  readonly challenge?: AuthChallenge | undefined;
  /** The same may work in a moment; nothing that was kept is lost. */
  readonly isRetryable?: boolean | undefined;
}

/** A client was not let in, or could not find out how to be. `code` is the error string of the RFCs, where they have one. */
export class AuthError extends McpError {
  override readonly name = 'AuthError';
  readonly code: string;
  /** What was tried, in order: safe to paste into an issue. */
  readonly trace: readonly AuthStep[];
  /** What the server said, if that is what went wrong. */
  readonly challenge: AuthChallenge | undefined;
  /** The same may work in a moment; nothing that was kept is lost. */
  readonly isRetryable: boolean;

  // There is no cause: what libraries put there holds bodies with tokens in them.
  constructor(code: string, message: string, details: AuthErrorDetails = {}) {
    // Messages and steps quote peers: escaping them here covers every place that makes one.
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

/** Classification of connection failures, and their error messages. */

import { ConnectionError, type ConnectionErrorCode, toError } from '../jsonrpc/errors.ts';
import { TRY_AGAIN } from './statuses.ts';
import { stderrExcerpt } from './stderr-excerpt.ts';
import type { Supervision } from './supervision.ts';

const TIMEOUT_LINES = 3;

/** Returns the non-retryable `AuthError` in the cause chain. Checks properties, because client/ must not import auth/. */
export function refusalIn(error: unknown): Error | undefined {
  for (let one = error, depth = 0; one instanceof Error && depth < 4; one = one.cause, depth++) {
    if (one.name === 'AuthError' && 'isRetryable' in one && one.isRetryable === false) return one;
  }
  return undefined;
}

/** Creates the error for a lost session that could not be replaced. */
export function notReplaced(cause: ConnectionError): ConnectionError {
  const { status } = cause;
  const text = `The session was lost, and there is no new one: ${cause.message}`;
  return new ConnectionError('session-lost', text, { cause, status });
}

// `session-lost` is temporary: the server was restarted again, or a load balancer has chosen another server.
const PASSING: ReadonlySet<ConnectionErrorCode> = new Set(['unreachable', 'closed', 'timeout', 'session-lost']);

/** Returns true if the failure is temporary, for instance because the server is restarting. */
export function isPassing({ code, status = 0 }: ConnectionError): boolean {
  return PASSING.has(code) || status >= 500 || TRY_AGAIN.has(status);
}

/** Creates the error for a server process that crashed too often. */
export function gaveUp(name: string, supervision: Supervision, cause: ConnectionError): ConnectionError {
  const { process } = cause;
  return new ConnectionError('failed', `${name} was given up: ${supervision.summary}. ${cause.message}`, {
    cause,
    ...(process ? { process } : {}),
  });
}

/** Adds the last stderr lines of the server process to a timeout error, because they often name the cause. */
export function withStderr(error: unknown, stderr: string): unknown {
  if (!(error instanceof ConnectionError) || error.code !== 'timeout') return error;
  const excerpt = stderrExcerpt(stderr, TIMEOUT_LINES);
  if (excerpt === undefined) return error;
  return new ConnectionError('timeout', `${error.message}. The last it wrote on stderr:\n${excerpt}`, {
    process: { exitCode: null, signal: null, stderr },
  });
}

export function asConnectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  return new ConnectionError('failed', toError(error).message, { cause: error });
}

/** What is to be thought of a link that failed, and how it is told. */

import { ConnectionError, type ConnectionErrorCode, toError } from '../jsonrpc/errors.ts';
import { TRY_AGAIN } from './statuses.ts';
import { stderrExcerpt } from './stderr-excerpt.ts';
import type { Supervision } from './supervision.ts';

const TIMEOUT_LINES = 3;

/** Who was not let in for good, if that is what the error says. Told by its properties: who is let in is not known here. */
export function refusalIn(error: unknown): Error | undefined {
  for (let one = error, depth = 0; one instanceof Error && depth < 4; one = one.cause, depth++) {
    if (one.name === 'AuthError' && 'isRetryable' in one && one.isRetryable === false) return one;
  }
  return undefined;
}

/** The error of a session that has no successor. */
export function notReplaced(cause: ConnectionError): ConnectionError {
  const { status } = cause;
  const text = `The session was lost, and there is no new one: ${cause.message}`;
  return new ConnectionError('session-lost', text, { cause, status });
}

// A new session that is lost at once was opened by a server that was restarted again, or by another one behind a proxy.
const PASSING: ReadonlySet<ConnectionErrorCode> = new Set(['unreachable', 'closed', 'timeout', 'session-lost']);

/** True of a server that is being restarted, or is behind something that is: a moment later it may be well. */
export function isPassing({ code, status = 0 }: ConnectionError): boolean {
  return PASSING.has(code) || status >= 500 || TRY_AGAIN.has(status);
}

/** The error of a server that crashed too often. */
export function gaveUp(name: string, supervision: Supervision, cause: ConnectionError): ConnectionError {
  const { process } = cause;
  return new ConnectionError('failed', `${name} was given up: ${supervision.summary}. ${cause.message}`, {
    cause,
    ...(process ? { process } : {}),
  });
}

/** Returns a timeout with the last lines that the program wrote on stderr: they often say why it does not answer. */
export function withStderr(error: unknown, stderr: string): unknown {
  if (!(error instanceof ConnectionError) || error.code !== 'timeout') return error;
  const excerpt = stderrExcerpt(stderr, TIMEOUT_LINES);
  if (excerpt === undefined) return error;
  return new ConnectionError('timeout', `${error.message}. The last it wrote on stderr:\n${excerpt}`, {
    process: { exitCode: null, signal: null, stderr },
  });
}

/** Any error as one of a connection. */
export function asConnectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  return new ConnectionError('failed', toError(error).message, { cause: error });
}

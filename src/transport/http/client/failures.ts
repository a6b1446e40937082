/** Creates the `ConnectionError` for each kind of failure of an HTTP request. */

import { ConnectionError, type RpcError } from '../../../jsonrpc/errors.ts';
import { retryAfterMs } from './retry-after.ts';
import type { ResponseHead } from './sender.ts';

// Error codes of a connection that broke after the request was sent. The server could have received the request.
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Explanations of statuses that proxies send. */
const HINTS: ReadonlyMap<number, string> = new Map([
  [502, 'a proxy in front of the server cannot reach it'],
  [504, 'a proxy in front of the server got no answer from it in time'],
]);

/** Returns the error for an HTTP error status. `answered` is the JSON-RPC error in the response body, if any. */
export function statusError({ status, header }: ResponseHead, name: string, answered?: RpcError): ConnectionError {
  const said = answered?.message ?? HINTS.get(status);
  const advice = status === 401 ? '. It lets in only whom it knows: see the option "auth"' : '';
  const text = `${name} answered with HTTP status ${status}${said === undefined ? '' : `: ${said}`}${advice}`;
  return new ConnectionError('http-error', text, {
    status,
    retryAfterMs: retryAfterMs(header('retry-after')),
    ...(answered ? { cause: answered } : {}),
  });
}

// Explanations of common error codes. Every message also contains the code itself.
const REASONS: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens there: is the server running, and is it this port? '],
  [/^ENOTFOUND$/, 'there is no host of this name '],
  [/^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/, 'it does not speak TLS: try http: '],
  [/CERT|^UNABLE_TO_VERIFY/, 'its certificate is not trusted '],
];

function reasonFor(code: string): string {
  return REASONS.find(([codes]) => codes.test(code))?.[1] ?? 'the connection failed ';
}

/** Returns the error for a request that failed before its response began. */
export function noResponse(error: Error, name: string): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const code = codeOf(error);
  if (BROKEN.has(code)) return new ConnectionError('closed', `${name} hung up without an answer`, { cause: error });
  if (code.startsWith('HPE_')) {
    return new ConnectionError('malformed', `${name} answered with something that is not HTTP`, { cause: error });
  }
  const why = code === '' ? error.message : `${reasonFor(code)}(${code})`;
  return new ConnectionError('unreachable', `Cannot reach ${name}: ${why}`, { cause: error });
}

/** Timeout until the server accepts a notification or response, or any message over HTTP+SSE, in milliseconds. */
export const ACCEPT_MS = 30_000;

export function notAccepted(name: string): ConnectionError {
  return new ConnectionError('timeout', `${name} did not accept a message within ${ACCEPT_MS} ms`);
}

export function tooLarge(what: string, maxBytes: number): ConnectionError {
  const text = `The server sent ${what} of more than ${maxBytes} bytes (option "maxResponseBytes")`;
  return new ConnectionError('too-large', text);
}

/** Returns the error for a response that ended early. A `cause` that is a `ConnectionError` is returned unchanged. */
export function cutOff(name: string, cause?: Error): ConnectionError {
  if (cause instanceof ConnectionError) return cause;
  return new ConnectionError('closed', `The answer of ${name} broke off`, cause ? { cause } : {});
}

/** Returns the error for an SSE stream whose keep-alives have stopped. */
export function fellSilent(name: string): ConnectionError {
  return new ConnectionError(
    'closed',
    `The event stream of ${name} has no keep-alives any more: its connection is lost`,
  );
}

/** Returns the error for an exchange that ended without a response to its request. */
export function unanswered(name: string): ConnectionError {
  return new ConnectionError('closed', `${name} ended the exchange without an answer`);
}

/** Returns the error for a session that the server does not know. `status` is set for requests that were not executed. */
export function sessionLost(name: string, status?: number): ConnectionError {
  return new ConnectionError('session-lost', `${name} does not know the session any more`, { status });
}

export function isSessionLost(error: Error): boolean {
  return error instanceof ConnectionError && error.code === 'session-lost';
}

// The errors of `fetch` have the system's error code in their `cause`.
function codeOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause instanceof Error ? codeOf(cause) : '';
}

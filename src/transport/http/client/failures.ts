/** What can go wrong over HTTP, as the errors callers get. */

import { ConnectionError, type RpcError } from '../../../jsonrpc/errors.ts';
import { retryAfterMs } from './retry-after.ts';
import type { ResponseHead } from './sender.ts';

// The request was on its way, or had arrived, when the connection broke.
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** What a status says that comes from a proxy. */
const HINTS: ReadonlyMap<number, string> = new Map([
  [502, 'a proxy in front of the server cannot reach it'],
  [504, 'a proxy in front of the server got no answer from it in time'],
]);

/** The server answered with a status that is no answer; `answered` is what its body says, if it is an error of JSON-RPC. */
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

// What usually is the matter; the code stays in sight for everything else.
const REASONS: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens there: is the server running, and is it this port? '],
  [/^ENOTFOUND$/, 'there is no host of this name '],
  [/^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/, 'it does not speak TLS: try http: '],
  [/CERT|^UNABLE_TO_VERIFY/, 'its certificate is not trusted '],
];

function reasonFor(code: string): string {
  return REASONS.find(([codes]) => codes.test(code))?.[1] ?? 'the connection failed ';
}

/** There was no response to a request. */
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

/** The most milliseconds a message that wants no answer takes to be accepted: nobody else has a clock for these. */
export const ACCEPT_MS = 30_000;

/** It was not. */
export function notAccepted(name: string): ConnectionError {
  return new ConnectionError('timeout', `${name} did not accept a message within ${ACCEPT_MS} ms`);
}

/** The server sent more than `maxResponseBytes` as one message. */
export function tooLarge(what: string, maxBytes: number): ConnectionError {
  const text = `The server sent ${what} of more than ${maxBytes} bytes (option "maxResponseBytes")`;
  return new ConnectionError('too-large', text);
}

/** The response broke off. */
export function cutOff(name: string, cause?: Error): ConnectionError {
  if (cause instanceof ConnectionError) return cause;
  return new ConnectionError('closed', `The answer of ${name} broke off`, cause ? { cause } : {});
}

/** The keep-alives of a stream stopped. */
export function fellSilent(name: string): ConnectionError {
  return new ConnectionError(
    'closed',
    `The event stream of ${name} has no keep-alives any more: its connection is lost`,
  );
}

/** The exchange is over, and there is no answer. */
export function unanswered(name: string): ConnectionError {
  return new ConnectionError('closed', `${name} ended the exchange without an answer`);
}

/** The server forgot the session. The one whose request showed it has the status: its request was not carried out. */
export function sessionLost(name: string, status?: number): ConnectionError {
  return new ConnectionError('session-lost', `${name} does not know the session any more`, { status });
}

/** True for that. */
export function isSessionLost(error: Error): boolean {
  return error instanceof ConnectionError && error.code === 'session-lost';
}

// What fetch throws says why it did in its cause.
function codeOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause instanceof Error ? codeOf(cause) : '';
}

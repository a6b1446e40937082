/** Rules for sending OAuth requests, with `fetch` or Node: limits of size and time, SSRF policy, error messages. */

import { printable } from '../../jsonrpc/printable.ts';
import { AuthError } from '../errors.ts';
import type { SendLimits } from './exchange.ts';
import { isWithin, networkOf, networkOfHost } from './networks.ts';
import { cleanText } from './responses.ts';
import type { Reach } from './targets.ts';

export const MAX_BODY_BYTES: number = 1024 * 1024;
/** Time limit of a request in milliseconds, from the DNS lookup to the last byte of the response. */
export const TIMEOUT_MS = 10_000;
/** Maximum number of issuers or scopes that an error message lists. */
const MAX_NAMES = 10;

/** Returns the IP address in a URL; undefined if the URL has a hostname. */
export function literalAddress({ hostname }: URL): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  // `URL` has already normalized the other notations, such as 127.1 and 0x7f000001.
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : undefined;
}

/** Throws an `AuthError` if the SSRF policy refuses the URL. Makes no DNS lookup. */
export function checkTarget(url: URL, { reach }: Pick<SendLimits, 'reach'>): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new AuthError('forbidden_address', `Nothing is sent to ${url.protocol} URLs, only to https: and http:`);
  }
  if (!isWithin(networkOfHost(url.hostname), reach)) throw forbiddenAddress(url);
}

/** True if the SSRF policy refuses an address that a hostname was resolved to. */
export function isForbidden(address: string, reach: Reach): boolean {
  return !isWithin(networkOf(address), reach);
}

/** Runs one exchange. On timeout, or if `signal` aborts, aborts the exchange and rejects. */
export async function withinTime<T>(
  url: URL,
  signal: AbortSignal,
  exchange: (ended: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const end = new AbortController();
  const over = new Promise<never>((_resolve, reject) => {
    end.signal.addEventListener('abort', () => reject(end.signal.reason), { once: true });
  });
  const giveUp = (): void => end.abort(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  const timer = setTimeout(() => end.abort(timedOut(url)), TIMEOUT_MS);
  try {
    // Does not wait for an exchange that ignores its signal, as a custom `fetch` could.
    return await Promise.race([exchange(end.signal), over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    end.abort();
  }
}

export class Body {
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  /** Adds a chunk of the response body. Returns false if the body is larger than `MAX_BODY_BYTES`. */
  add(chunk: Uint8Array): boolean {
    this.#size += chunk.byteLength;
    const fits = this.#size <= MAX_BODY_BYTES;
    if (fits) this.#chunks.push(chunk);
    return fits;
  }

  text(): string {
    const bytes = new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.byteLength;
    }
    return new TextDecoder().decode(bytes);
  }
}

/** Formats a URL for messages, without query and credentials, which could be secret. */
export function nameOf({ origin, pathname }: URL): string {
  return printable(`${origin}${pathname}`);
}

/** Formats issuers for messages. Issuers have no query and no credentials that would have to be removed. */
export function shownIssuers(issuers: readonly string[]): string {
  return listed(
    issuers.map((issuer) => printable(issuer)),
    ', ',
  );
}

/** Formats scopes for messages. They come from a server, so they are sanitized. */
export function shownScopes(scopes: readonly string[]): string {
  return listed(
    scopes.map((scope) => cleanText(scope, 100) ?? '[...]'),
    ' ',
  );
}

function listed(names: readonly string[], separator: string): string {
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(separator)}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns the error for a URL that the SSRF policy refuses, by its host or a resolved address. */
export function forbiddenAddress(url: URL): AuthError {
  const text =
    `${nameOf(url)} is in a private, loopback or link-local network, or a metadata service: the MCP server may not send ` +
    'us there. The option "issuer" allows an authorization server of a private network or of this machine';
  return new AuthError('forbidden_address', text);
}

/** Returns the error for a redirect that the runtime hides or has already followed. */
export function redirected(url: URL): AuthError {
  return new AuthError('redirected', `${nameOf(url)} redirects to another URL, which is not followed`);
}

export function tooLarge(url: URL): AuthError {
  return new AuthError('too_large', `The answer of ${nameOf(url)} is larger than ${MAX_BODY_BYTES} bytes`);
}

/** Converts a network error into an `AuthError`. Only its code is shown, because its text could quote the request. */
export function unreachable(url: URL, error: unknown): AuthError {
  if (error instanceof AuthError) return error;
  const code = codeOf(error);
  const why = REASONS.find(([codes]) => codes.test(code))?.[1] ?? 'the connection failed';
  const text = `Cannot reach ${nameOf(url)}: ${why}${code === '' ? '' : ` (${code})`}`;
  return new AuthError('unreachable', text, { isRetryable: true });
}

function timedOut(url: URL): AuthError {
  const text = `${nameOf(url)} did not answer within ${TIMEOUT_MS / 1000} seconds`;
  return new AuthError('timeout', text, { isRetryable: true });
}

// Likely causes by error code. The message also contains the code.
const REASONS: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/^ECONNREFUSED$|^ConnectionRefused$/, 'nothing listens there: is it running, and is it this port?'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'there is no host of this name, or names cannot be looked up'],
  [
    /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    'it does not speak TLS: is it an http: URL?',
  ],
  [/CERT|^UNABLE_TO_/, 'its certificate is not trusted'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'it hung up before its answer was complete'],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'there is no way to this host'],
  [/^ERR_INVALID_CHAR$/, 'a header field of the request has characters that cannot be sent'],
  [/^HPE_/, 'it answered with something that is not HTTP'],
];

// `fetch` throws an error that has the system error as its `cause`.
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return typeof code === 'string' && /^\w+$/.test(code) ? code : codeOf(cause);
}

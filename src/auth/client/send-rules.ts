/** What every sender keeps to, whatever it sends with: how much, how long, where to, and how failures are told. */

import { printable } from '../../jsonrpc/printable.ts';
import { AuthError } from '../errors.ts';
import type { SendLimits } from './exchange.ts';
import { isWithin, networkOf, networkOfHost } from './networks.ts';
import { cleanText } from './responses.ts';
import type { Reach } from './targets.ts';

/** The most bytes of an answer that are read. */
export const MAX_BODY_BYTES: number = 1024 * 1024;
/** The most milliseconds a request takes, from looking up the name to the last byte of the answer. */
export const TIMEOUT_MS = 10_000;
/** The most names of a list that a message shows. */
const MAX_NAMES = 10;

/** The address that a URL names directly, without a name that has to be looked up. */
export function literalAddress({ hostname }: URL): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  // URLs have every other way to write one (127.1, 0x7f000001) turned into this already.
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : undefined;
}

/** Throws for what no request may be sent to, as far as the URL alone tells. */
export function checkTarget(url: URL, { reach }: Pick<SendLimits, 'reach'>): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new AuthError('forbidden_address', `Nothing is sent to ${url.protocol} URLs, only to https: and http:`);
  }
  if (!isWithin(networkOfHost(url.hostname), reach)) throw forbiddenAddress(url);
}

/** Whether nothing may be sent to an address that a name was resolved to. */
export function isForbidden(address: string, reach: Reach): boolean {
  return !isWithin(networkOf(address), reach);
}

/** Runs one exchange: ends it, and rejects, when its time is over or the signal gives it up. Nothing goes on after it. */
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
    // What does not heed its end, as a fetch of somebody's own may not, is not waited for.
    return await Promise.race([exchange(end.signal), over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    end.abort();
  }
}

/** The body of an answer while it comes in. */
export class Body {
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  /** False if this is more than is read. */
  add(chunk: Uint8Array): boolean {
    this.#size += chunk.byteLength;
    const fits = this.#size <= MAX_BODY_BYTES;
    if (fits) this.#chunks.push(chunk);
    return fits;
  }

  /** All of it. */
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

/** A URL as messages have it: a query may hold a code or a token, and what comes before the host a password. */
export function nameOf({ origin, pathname }: URL): string {
  return printable(`${origin}${pathname}`);
}

/** Issuers as messages have them. They are URLs already, of which nothing has to be left out. */
export function shownIssuers(issuers: readonly string[]): string {
  return listed(
    issuers.map((issuer) => printable(issuer)),
    ', ',
  );
}

/** Scopes that a server named, as messages have them. */
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

/** The URL, or what its name stands for, is an address that nothing may be sent to. */
export function forbiddenAddress(url: URL): AuthError {
  const text =
    `${nameOf(url)} is in a private, loopback or link-local network, or a metadata service: the MCP server may not send ` +
    'us there. The option "issuer" allows an authorization server of a private network or of this machine';
  return new AuthError('forbidden_address', text);
}

/** The answer was a redirect, which the runtime does not let us see, or had followed already. */
export function redirected(url: URL): AuthError {
  return new AuthError('redirected', `${nameOf(url)} redirects to another URL, which is not followed`);
}

/** The answer is more than is read. */
export function tooLarge(url: URL): AuthError {
  return new AuthError('too_large', `The answer of ${nameOf(url)} is larger than ${MAX_BODY_BYTES} bytes`);
}

/** There was no complete answer. The cause is told by its code: its text may hold what was sent. */
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

// What usually is the matter; the code stays in sight for everything else.
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

// What fetch throws says why it did in its cause.
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return typeof code === 'string' && /^\w+$/.test(code) ? code : codeOf(cause);
}

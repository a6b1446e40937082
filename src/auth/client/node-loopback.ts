/** Receives the OAuth callback on a loopback port of this machine (RFC 8252, section 7.3). */

import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { AuthError } from '../errors.ts';
import { DONE_PAGE, FAILED_PAGE, PAGE_HEADERS } from './callback-page.ts';

export interface LoopbackOptions {
  /** Registered redirect URI. Without a port, a free port is used. Default: `http://127.0.0.1/callback`. */
  readonly redirectUri?: string | undefined;
}

/** Listener for one OAuth callback. */
export interface Receiver {
  /** Redirect URI with the port of the listener. */
  readonly redirectUri: string;
  /** Resolves to the URL of the callback with this `state`. Can be called only once. */
  wait(state: string, signal: AbortSignal): Promise<URL>;
  /** Closes the listener and its connections immediately. A pending `wait` rejects. */
  close(): Promise<void>;
}

/** Addresses to listen on, by the hostname of the redirect URI. Browsers try both addresses for `localhost`. */
const ADDRESSES: ReadonlyMap<string, readonly string[]> = new Map([
  ['127.0.0.1', ['127.0.0.1']],
  ['[::1]', ['::1']],
  ['localhost', ['127.0.0.1', '::1']],
]);
/** Error codes of `listen` on machines without IPv6. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);
const TAKEN = new Set(['EADDRINUSE', 'EACCES']);

/** Starts a listener for the callback. Rejects with an `AuthError` if the port cannot be used. */
export async function loopback({ redirectUri }: LoopbackOptions = {}): Promise<Receiver> {
  const wanted = parse(redirectUri ?? 'http://127.0.0.1/callback');
  // A port that is free on one address can be in use on the other. Then another port is tried.
  for (let tries = wanted.port === '' ? 5 : 1; ; tries--) {
    // A redirect URI with a port is not normalized, because authorization servers compare it as a string.
    const receiver = new LoopbackReceiver(wanted, wanted.port === '' ? undefined : redirectUri);
    try {
      await receiver.listen();
      return receiver;
    } catch (error) {
      await receiver.close();
      if (tries <= 1 || codeOf(error) !== 'EADDRINUSE') throw listenError(wanted, codeOf(error));
    }
  }
}

function parse(redirectUri: string): URL {
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  if (url?.protocol === 'http:' && ADDRESSES.has(url.hostname) && url.hash === '' && url.username === '') return url;
  const expected = 'http://127.0.0.1, http://[::1] or http://localhost, with or without a port and a path';
  throw new AuthError('invalid_redirect_uri', `This redirect URI cannot be listened to: expected ${expected}`);
}

function listenError({ port }: URL, code: string): AuthError {
  if (port === '' || !TAKEN.has(code)) {
    return new AuthError('callback_unavailable', `Cannot listen for the callback of the browser (${code})`);
  }
  const why = code === 'EACCES' ? 'may not be used by this process' : 'is used by another process';
  return new AuthError('redirect_port_taken', `Port ${port} of the redirect URI ${why}`, { isRetryable: true });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'no code';
}

class LoopbackReceiver implements Receiver {
  readonly #url: URL;
  readonly #exact: string | undefined;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  #state: Buffer | undefined;
  #settle: ((outcome: URL | { readonly failure: unknown }) => void) | undefined;
  #isOver = false;

  constructor(url: URL, exact: string | undefined) {
    this.#url = new URL(url);
    this.#exact = exact;
  }

  get redirectUri(): string {
    return this.#exact ?? this.#url.href;
  }

  async listen(): Promise<void> {
    for (const address of ADDRESSES.get(this.#url.hostname) ?? []) {
      try {
        await this.#listenAt(address);
      } catch (error) {
        const isSpare = this.#servers.length > 0 && NO_SUCH_ADDRESS.has(codeOf(error));
        if (!isSpare) throw error;
      }
    }
  }

  wait(state: string, signal: AbortSignal): Promise<URL> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#isOver || this.#state) throw new AuthError('callback_over', 'This callback was waited for already');
      const giveUp = (): void => this.#settle?.({ failure: signal.reason });
      this.#state = digest(state);
      this.#settle = (outcome) => {
        this.#settle = undefined;
        this.#isOver = true;
        signal.removeEventListener('abort', giveUp);
        if (outcome instanceof URL) resolve(outcome);
        else reject(outcome.failure);
      };
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#settle?.({ failure: new AuthError('callback_over', 'The callback is not waited for any more') });
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  #listenAt(address: string): Promise<void> {
    const server = createServer((request, response) => this.#answer(request, response));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: address, port: Number(this.#url.port), exclusive: true }, () => {
        server.off('error', reject);
        server.on('error', () => {});
        this.#servers.push(server);
        this.#url.port = String((server.address() as AddressInfo).port);
        resolve();
      });
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { url = '' } = request;
    const callback = new URL(url.startsWith('/') ? `${this.#url.origin}${url}` : 'about:blank');
    const refusal = this.#refusalOf(request, callback);
    const hasFailed = refusal !== undefined || callback.searchParams.has('error');
    if (refusal === undefined) {
      this.#isOver = true;
      // Settles after the page was sent, because the caller then closes the connection.
      response.once('close', () => this.#settle?.(callback));
    }
    response.writeHead(refusal ?? (hasFailed ? 400 : 200), {
      ...PAGE_HEADERS,
      ...(refusal === 405 ? { allow: 'GET' } : {}),
      connection: 'close',
    });
    response.end(hasFailed ? FAILED_PAGE : DONE_PAGE);
  }

  /** Returns the HTTP status for a request that is not the expected callback; undefined for the callback. */
  #refusalOf({ method, headers }: IncomingMessage, { pathname, searchParams }: URL): number | undefined {
    // DNS rebinding: the Host header must name this listener.
    if (headers.host?.toLowerCase() !== this.#url.host) return 403;
    if (pathname !== this.#url.pathname) return 404;
    if (method !== 'GET') return 405;
    if (this.#isOver) return 410;
    // CSRF: any website can send the browser here. Only a request with the right `state` may end the wait.
    const [state, ...more] = searchParams.getAll('state');
    return state !== undefined && more.length === 0 && this.#isExpected(state) ? undefined : 400;
  }

  #isExpected(state: string): boolean {
    return this.#state !== undefined && timingSafeEqual(this.#state, digest(state));
  }
}

// Hashes have equal length, which `timingSafeEqual` requires.
function digest(state: string): Buffer {
  return createHash('sha256').update(state).digest();
}

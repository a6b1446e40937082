/** `Wire`: sends the requests of one OAuth flow under the SSRF policy, and records them for error messages. */

import { unlessAborted } from '../../timing/abort-signals.ts';
import { AuthError, type AuthErrorDetails, type AuthStep } from '../errors.ts';
import type { OAuthRequest, OAuthResponse, Send } from './exchange.ts';
import { nameOf } from './send-rules.ts';
import { type Reach, reachOfHost, targetFault } from './targets.ts';

export interface WireOptions {
  readonly send: Send;
  readonly signal: AbortSignal;
  /** The MCP server that the flow is for. */
  readonly server: URL;
  /** SSRF policy: the most restricted network that requests may reach. The origins of `trusted` are exempt. */
  readonly reach: Reach;
  /** Configured URLs. Their origins may be in private networks or on this machine. Values that are not URLs are ignored. */
  readonly trusted?: readonly (string | undefined)[] | undefined;
}

/** Parses a response, or throws an `AuthError` that names the violated rule. */
export type Read<T> = (response: OAuthResponse) => T | Promise<T>;

const MAX_REDIRECTS = 3;
/** Maximum number of recorded steps. Steps in the middle are removed. */
const MAX_STEPS = 50;
/** Recorded outcome, by method, of a response without an error and without a result. */
const NOTHING = { GET: 'not there', POST: 'asked again' } as const;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export class Wire {
  readonly #options: WireOptions;
  readonly #trace: AuthStep[];

  constructor(options: WireOptions, trace: AuthStep[] = []) {
    this.#options = options;
    this.#trace = trace;
  }

  /** Returns a `Wire` with the same steps that is never aborted, for requests whose response must not be lost. */
  uninterrupted(): Wire {
    return new Wire({ ...this.#options, signal: new AbortController().signal }, this.#trace);
  }

  /** Returns a `Wire` with the same steps that trusts only these URLs. */
  trusting(...trusted: readonly (string | undefined)[]): Wire {
    return new Wire({ ...this.#options, trusted }, this.#trace);
  }

  /** Aborts when no request waits for the flow any more. */
  get signal(): AbortSignal {
    return this.#options.signal;
  }

  /** Fetches a public document and parses it. Follows redirects within the same origin. */
  async get<T>(what: string, url: URL, read: Read<T>): Promise<T> {
    let at = url;
    for (let redirects = 0; ; redirects++) {
      const request: OAuthRequest = { method: 'GET', url: at, headers: { accept: 'application/json' } };
      const response = await this.#send(what, request);
      if (!REDIRECTS.has(response.status) || redirects === MAX_REDIRECTS)
        return this.#read(what, request, response, read);
      at = this.#redirected(what, at, response);
    }
  }

  /** Sends a request that can contain secrets, and parses the response. Does not follow redirects. */
  async post<T>(what: string, request: OAuthRequest, read: Read<T>): Promise<T> {
    const response = await this.#send(what, request);
    return this.#read(what, request, response, read);
  }

  /** Records a step that needed no request. */
  note(step: AuthStep): void {
    if (this.#trace.length >= MAX_STEPS) this.#trace.splice(MAX_STEPS / 2, 1);
    this.#trace.push(step);
  }

  /** Creates an `AuthError` with all recorded steps. */
  failure(code: string, message: string, details: AuthErrorDetails = {}): AuthError {
    return new AuthError(code, message, { ...details, trace: [...this.#trace] });
  }

  /** Adds the recorded steps to an `AuthError` that has none. Returns other errors unchanged. */
  explained(error: unknown): unknown {
    if (!(error instanceof AuthError) || error.trace.length > 0) return error;
    const { code, message, challenge, isRetryable } = error;
    return this.failure(code, message, { challenge, isRetryable });
  }

  /** Waits for `outcome`, which can ignore the signal. Rejects when the signal aborts. */
  unlessAborted<T>(outcome: Promise<T>): Promise<T> {
    return unlessAborted(outcome, this.signal);
  }

  async #send(what: string, request: OAuthRequest): Promise<OAuthResponse> {
    const { send, signal } = this.#options;
    signal.throwIfAborted();
    const { named, resolved } = this.#reachTo(request.url);
    try {
      const fault = targetFault(request.url, named);
      if (fault !== undefined)
        throw new AuthError('forbidden_address', `${nameOf(request.url)} is not asked: ${fault}`);
      return await send(request, { signal, reach: resolved });
    } catch (error) {
      throw this.#failed(what, request.url, undefined, error);
    }
  }

  // SSRF: a server can let its hostname resolve to a private address. Other private targets of such a server need a hostname
  // and https:, so that a certificate proves the name.
  #reachTo({ origin, protocol }: URL): { readonly named: Reach; readonly resolved: Reach } {
    const { reach, server, trusted = [] } = this.#options;
    const isTrusted = trusted.some((one) => one !== undefined && URL.canParse(one) && new URL(one).origin === origin);
    if (isTrusted) return { named: 'loopback', resolved: 'loopback' };
    const named = reachOfHost(server.hostname);
    // A hostname of a private network can resolve to this machine, and MCP requests are sent there as well.
    if (origin === server.origin) return { named, resolved: reach === 'public' ? reach : 'loopback' };
    return { named, resolved: protocol === 'https:' ? reach : named };
  }

  async #read<T>(what: string, { method, url }: OAuthRequest, response: OAuthResponse, read: Read<T>): Promise<T> {
    const { status } = response;
    try {
      const value = await read(response);
      const outcome = value !== undefined && status < 400 ? 'found' : NOTHING[method];
      this.note({ what, url: nameOf(url), status, outcome });
      return value;
    } catch (error) {
      throw this.#failed(what, url, status, error);
    }
  }

  #redirected(what: string, from: URL, response: OAuthResponse): URL {
    const { status } = response;
    const location = response.header('location');
    const to = location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
    const rule = !to ? 'a redirect to nowhere' : 'a redirect to another origin, which is not followed';
    if (to?.origin !== from.origin) throw this.#failed(what, from, status, new AuthError('redirect_refused', rule));
    this.note({ what, url: nameOf(from), status, outcome: 'redirected' });
    return to;
  }

  // Records the failure, so that the error lists all steps.
  #failed(what: string, url: URL, status: number | undefined, error: unknown): unknown {
    if (!(error instanceof AuthError)) return error;
    this.note({ what, url: nameOf(url), ...(status === undefined ? {} : { status }), outcome: error.message });
    return this.explained(error);
  }
}

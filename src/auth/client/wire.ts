/** Sends the requests of one flow, by the rules for where they may go, and keeps account of them. */

import { unlessAborted } from '../../timing/abort-signals.ts';
import { AuthError, type AuthErrorDetails, type AuthStep } from '../errors.ts';
import type { OAuthRequest, OAuthResponse, Send } from './exchange.ts';
import { nameOf } from './send-rules.ts';
import { type Reach, reachOfHost, targetFault } from './targets.ts';

/** What requests are sent with. */
export interface WireOptions {
  readonly send: Send;
  readonly signal: AbortSignal;
  /** The MCP server all of it is for. */
  readonly server: URL;
  /** The network it is in: nothing beyond is asked, except its own origin and what is trusted. */
  readonly reach: Reach;
  /**
   * URLs that were configured here, and not named by a server: their origins may be in private networks and on this machine. What is no URL
   * counts for nothing.
   */
  readonly trusted?: readonly (string | undefined)[] | undefined;
}

/** Makes something of an answer, or throws an `AuthError` that says which rule it breaks. */
export type Read<T> = (response: OAuthResponse) => T | Promise<T>;

const MAX_REDIRECTS = 3;
/** Of an account only the first and the last steps are kept. */
const MAX_STEPS = 50;
/** What came of a request that was answered as it may be, but with nothing to go on with. */
const NOTHING = { GET: 'not there', POST: 'asked again' } as const;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The requests of one flow, and what came of each. */
export class Wire {
  readonly #options: WireOptions;
  readonly #trace: AuthStep[];

  constructor(options: WireOptions, trace: AuthStep[] = []) {
    this.#options = options;
    this.#trace = trace;
  }

  /** The same account, for what is to be brought to its end although nobody waits any more: it would be lost otherwise. */
  uninterrupted(): Wire {
    return new Wire({ ...this.#options, signal: new AbortController().signal }, this.#trace);
  }

  /** The same account, with these URLs trusted and no others. */
  trusting(...trusted: readonly (string | undefined)[]): Wire {
    return new Wire({ ...this.#options, trusted }, this.#trace);
  }

  /** Aborts when nobody waits for the flow any more. */
  get signal(): AbortSignal {
    return this.#options.signal;
  }

  /** Gets a public document and reads it. Redirects are followed within its origin. */
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

  /** Sends what may hold secrets, and reads the answer. No redirect is followed. */
  async post<T>(what: string, request: OAuthRequest, read: Read<T>): Promise<T> {
    const response = await this.#send(what, request);
    return this.#read(what, request, response, read);
  }

  /** Adds something that was found without a request. */
  note(step: AuthStep): void {
    if (this.#trace.length >= MAX_STEPS) this.#trace.splice(MAX_STEPS / 2, 1);
    this.#trace.push(step);
  }

  /** An error that tells what was tried. */
  failure(code: string, message: string, details: AuthErrorDetails = {}): AuthError {
    return new AuthError(code, message, { ...details, trace: [...this.#trace] });
  }

  /** The same error, telling what was tried if it does not do so yet. */
  explained(error: unknown): unknown {
    if (!(error instanceof AuthError) || error.trace.length > 0) return error;
    const { code, message, challenge, isRetryable } = error;
    return this.failure(code, message, { challenge, isRetryable });
  }

  /** The outcome of something that may not heed the signal; whoever is given up is not waited for. */
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

  // A server can have its name resolved to a private address or to this machine. Such a server leads to others by name
  // only, and they need a certificate for it.
  #reachTo({ origin, protocol }: URL): { readonly named: Reach; readonly resolved: Reach } {
    const { reach, server, trusted = [] } = this.#options;
    const isTrusted = trusted.some((one) => one !== undefined && URL.canParse(one) && new URL(one).origin === origin);
    if (isTrusted) return { named: 'loopback', resolved: 'loopback' };
    const named = reachOfHost(server.hostname);
    // A name of a private network may stand for this machine: requests to the MCP server itself go there as well.
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

  // The account goes along, so that whoever reads the error sees how it came to it.
  #failed(what: string, url: URL, status: number | undefined, error: unknown): unknown {
    if (!(error instanceof AuthError)) return error;
    this.note({ what, url: nameOf(url), ...(status === undefined ? {} : { status }), outcome: error.message });
    return this.explained(error);
  }
}

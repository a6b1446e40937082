/** Authorization code grant: the user signs in with a browser, and the code of the callback is exchanged for tokens. */

import { anySignal, unlessAborted } from '../../timing/abort-signals.ts';
import { timerMs } from '../../timing/timer-range.ts';
import { AuthError } from '../errors.ts';
import { beginAuthorization, type PendingAuthorization, readCallback } from './authorization.ts';
import type { Browser, BrowserVisit } from './browser.ts';
import type { ClientIdentity } from './client-auth.ts';
import { discoverIssuer } from './discovery.ts';
import type { DpopProver } from './dpop.ts';
import type { Grant, GrantContext, Granted } from './grant.ts';
import { proverOf } from './keeper.ts';
import { addPending, claimPending, findPending, PENDING_MS, type PendingRecord } from './pending.ts';
import type { Registrar } from './registrar.ts';
import { requirePkce, type ServerMetadata } from './server-metadata.ts';
import type { CredentialStore } from './store.ts';
import { authorizationCodeGrant, type TokenResponse } from './token.ts';
import { requestTokens } from './token-exchange.ts';
import type { Wire } from './wire.ts';

export interface CodeGrantOptions {
  readonly issuer: string | undefined;
  readonly registrar: Registrar;
  readonly browser: () => Promise<Browser>;
  /** Time limit of the user's sign-in, in milliseconds. Default: 10 minutes. */
  readonly signInTimeoutMs?: number | undefined;
}

/** Default of `signInTimeoutMs`, in milliseconds. */
export const SIGN_IN_MS: number = 10 * 60_000;

/** Result of `CodeGrant.complete`. */
export interface Completed extends Granted {
  readonly record: PendingRecord;
  readonly dpop: DpopProver | undefined;
}

export class CodeGrant implements Grant {
  readonly issuer: string | undefined;
  readonly wantsRefreshTokens = true;
  readonly #registrar: Registrar;
  readonly #browser: () => Promise<Browser>;
  readonly #patience: number;

  constructor({ issuer, registrar, browser, signInTimeoutMs = SIGN_IN_MS }: CodeGrantOptions) {
    this.issuer = issuer;
    this.#patience = timerMs(signInTimeoutMs);
    this.#registrar = registrar;
    this.#browser = browser;
  }

  get hasCredentials(): boolean {
    return this.#registrar.hasCredentials;
  }

  identityAt(issuer: string, clientId: string, store: CredentialStore): Promise<ClientIdentity | undefined> {
    return this.#registrar.identityAt(issuer, clientId, store);
  }

  async obtain(context: GrantContext): Promise<Granted> {
    const { wire, store, found, scopes = [], dpop, server, withPerson } = context;
    const { as, resource } = found;
    requirePkce(as);
    const browser = await this.#browser();
    const visit = await browser.begin(await this.#registrar.preferredRedirect(as.issuer, store));
    try {
      const { redirectUri } = visit;
      const identity = await this.#registrar.identify(context, redirectUri);
      const { clientId } = identity;
      const dpopThumbprint = await dpop?.key.thumbprint();
      const asked = { clientId, redirectUri, resource, scopes, dpopThumbprint };
      const { url, pending } = await beginAuthorization(as, asked);
      wire.note({ what: 'authorization request', url: `${url.origin}${url.pathname}`, outcome: 'a person was asked' });
      const record: PendingRecord = {
        authorization: pending,
        server: server.href,
        resource,
        ...(dpop ? { dpopKey: dpop.key.toJwk() } : {}),
        expiresAt: Date.now() + Math.max(PENDING_MS, this.#patience),
      };
      await addPending(store, record);
      const callback = await withPerson(() => this.#visit(context, visit, url, pending.state));
      // Fails if `finish` has already completed this sign-in, possibly in another process.
      if (!(await claimPending(store, pending.state))) throw unknownState();
      const code = codeIn(pending, callback);
      const redeemed = (): Promise<TokenResponse> => redeem(wire, as, identity, record, code, dpop);
      return { tokens: await this.#registrar.appearing(context, identity, redeemed), identity };
    } finally {
      await visit.close();
    }
  }

  async #visit({ wire, store }: GrantContext, visit: BrowserVisit, url: URL, state: string): Promise<URL> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tooLate(wire)), this.#patience);
    const { signal, release } = anySignal([wire.signal, late.signal]);
    try {
      return await unlessAborted(visit.authorize(url, state, signal), signal);
    } catch (error) {
      // After `authorization_pending`, `finish` can still complete the sign-in. After any other error, no callback is expected.
      const isLater = error instanceof AuthError && error.code === 'authorization_pending';
      if (!isLater) await claimPending(store, state);
      throw error;
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  /** Completes a pending sign-in with the URL of its callback. The sign-in can have begun in another process. */
  async complete(store: CredentialStore, callback: URL, wireFor: (server: URL) => Promise<Wire>): Promise<Completed> {
    const record = await findPending(store, callback.searchParams.get('state') ?? '');
    if (!record) throw unknownState();
    const { issuer, clientId, state } = record.authorization;
    const code = codeIn(record.authorization, callback);
    const identity = await this.#registrar.identityAt(issuer, clientId, store);
    if (!identity) throw new AuthError('invalid_client', 'It is not known any more as whom this client asked');
    const server = new URL(record.server);
    const wire = await wireFor(server);
    let isClaimed = false;
    try {
      const as = await discoverIssuer(wire, issuer, server);
      const dpop = await proverOf(record);
      isClaimed = await claimPending(store, state);
      if (!isClaimed) throw unknownState();
      return { record, identity, tokens: await redeem(wire, as, identity, record, code, dpop), dpop };
    } catch (error) {
      // Keeps the sign-in after a retryable error, so that the same callback can be used again.
      if (isClaimed && error instanceof AuthError && error.isRetryable) await addPending(store, record);
      throw wire.explained(error);
    }
  }
}

async function redeem(
  wire: Wire,
  as: ServerMetadata,
  identity: ClientIdentity,
  { authorization, resource }: PendingRecord,
  code: string,
  dpop: DpopProver | undefined,
): Promise<TokenResponse> {
  return requestTokens(wire, as, identity, { ...authorizationCodeGrant(authorization, code), resource, dpop });
}

/** Returns the code of a callback. Throws an `AuthError` if the callback is not at the redirect URI. */
function codeIn(authorization: PendingAuthorization, callback: URL): string {
  const expected = new URL(authorization.redirectUri);
  if (placeOf(callback) !== placeOf(expected)) {
    const message = `The callback is not at the redirect URI, ${placeOf(expected)}: pass the URL as the browser had it`;
    throw new AuthError('invalid_callback', message);
  }
  return readCallback(authorization, callback).code;
}

function placeOf({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}

function tooLate(wire: Wire): AuthError {
  return wire.failure('authorization_timeout', 'Nobody has signed in in time. Call again to be asked again');
}

function unknownState(): AuthError {
  const message = 'Nobody waits for this callback: it was used already, is too late, or belongs to somebody else';
  return new AuthError('state_mismatch', message);
}

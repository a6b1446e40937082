/** The authorization code grant: a person is asked, and comes back with a code. */

import { AuthError } from '../errors.ts';
import { beginAuthorization, readCallback } from './authorization.ts';
import type { Browser, BrowserVisit } from './browser.ts';
import type { ClientIdentity } from './client-auth.ts';
import { discoverIssuer } from './discovery.ts';
import type { DpopProver } from './dpop.ts';
import type { Grant, GrantContext, Granted } from './grant.ts';
import { proverOf } from './keeper.ts';
import { claimPending, PENDING_MS, type PendingRecord, pendingPlace, takePending } from './pending.ts';
import type { Registrar } from './registrar.ts';
import { requirePkce, type ServerMetadata } from './server-metadata.ts';
import type { CredentialStore } from './store.ts';
import { authorizationCodeGrant, type TokenResponse } from './token.ts';
import { requestTokens } from './token-exchange.ts';
import type { Wire } from './wire.ts';

/** What the grant is made with. */
export interface CodeGrantOptions {
  readonly issuer: string | undefined;
  readonly registrar: Registrar;
  readonly browser: () => Promise<Browser>;
}

/** What came of an authorization that was completed later. */
export interface Completed extends Granted {
  readonly record: PendingRecord;
  readonly dpop: DpopProver | undefined;
}

/** Asks a person, by way of a browser. */
export class CodeGrant implements Grant {
  readonly issuer: string | undefined;
  readonly wantsRefreshTokens = true;
  readonly #registrar: Registrar;
  readonly #browser: () => Promise<Browser>;

  constructor({ issuer, registrar, browser }: CodeGrantOptions) {
    this.issuer = issuer;
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
        expiresAt: Date.now() + PENDING_MS,
      };
      const place = pendingPlace(pending.state);
      await place.write(store, record);
      const callback = await withPerson(() => this.#visit(context, visit, url, pending.state));
      // Whoever completed it elsewhere has it now.
      if (!(await claimPending(store, pending.state))) throw unknownState();
      const redeemed = (): Promise<TokenResponse> => redeem(wire, as, identity, record, callback, dpop);
      return { tokens: await this.#registrar.appearing(context, identity, redeemed), identity };
    } finally {
      await visit.close();
    }
  }

  async #visit({ wire, store }: GrantContext, visit: BrowserVisit, url: URL, state: string): Promise<URL> {
    try {
      return await wire.unlessAborted(visit.authorize(url, state, wire.signal));
    } catch (error) {
      // Nobody comes back from it, unless that is what was said.
      const isLater = error instanceof AuthError && error.code === 'authorization_pending';
      if (!isLater) await pendingPlace(state).write(store, undefined);
      throw error;
    }
  }

  /** Completes an authorization that somebody came back from after all. */
  async complete(store: CredentialStore, callback: URL, wireFor: (server: URL) => Promise<Wire>): Promise<Completed> {
    const record = await takePending(store, callback.searchParams.get('state') ?? '');
    if (!record) throw unknownState();
    const { issuer, clientId } = record.authorization;
    const identity = await this.#registrar.identityAt(issuer, clientId, store);
    if (!identity) throw new AuthError('invalid_client', 'It is not known any more as whom this client asked');
    const server = new URL(record.server);
    const wire = await wireFor(server);
    try {
      const as = await discoverIssuer(wire, issuer, server);
      const dpop = await proverOf(record);
      return { record, identity, tokens: await redeem(wire, as, identity, record, callback, dpop), dpop };
    } catch (error) {
      throw wire.explained(error);
    }
  }
}

async function redeem(
  wire: Wire,
  as: ServerMetadata,
  identity: ClientIdentity,
  { authorization, resource }: PendingRecord,
  callback: URL,
  dpop: DpopProver | undefined,
): Promise<TokenResponse> {
  const { code } = readCallback(authorization, callback);
  return requestTokens(wire, as, identity, { ...authorizationCodeGrant(authorization, code), resource, dpop });
}

function unknownState(): AuthError {
  const message = 'Nobody waits for this callback: it was used already, is too late, or belongs to somebody else';
  return new AuthError('state_mismatch', message);
}

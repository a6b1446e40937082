/** Token acquisition for one MCP server: by refresh, from another process through the store, or by a new authorization. */

import { type AuthChallenge, AuthError } from '../errors.ts';
import { described } from './challenge.ts';
import { type Discovered, discover, isStillNamed } from './discovery.ts';
import { DpopKey, DpopProver, dpopAlgorithm } from './dpop.ts';
import type { Send } from './exchange.ts';
import type { Grant } from './grant.ts';
import { type Held, isExpired, isExpiring, type Keeper } from './keeper.ts';
import type { Patience } from './patience.ts';
import type { Slot } from './records.ts';
import { covers, firstScopes, unionOfScopes, withOfflineAccess } from './scopes.ts';
import { type FlowHost, waitingAsForPerson } from './shared-flow.ts';
import type { CredentialStore } from './store.ts';
import type { Reach } from './targets.ts';
import { Wire } from './wire.ts';

export interface SessionOptions {
  readonly store: CredentialStore;
  /** Partition of the store keys: only tokens in it are used. */
  readonly slot: Slot;
  /** Scopes to request in addition to those of challenges. */
  readonly scopes: readonly string[] | undefined;
  /** DPoP: always, never, or (`auto`) if the MCP server asks for it. */
  readonly dpop: boolean | 'auto';
  readonly send: Send;
  /** Returns the SSRF policy for a server: the most restricted network that its metadata may name. */
  reachOf(url: URL): Promise<Reach>;
}

// Errors of a faulty authorization server. A new sign-in would not help.
const FAULTS: ReadonlySet<string> = new Set([
  'redirected',
  'forbidden_address',
  'too_large',
  'not_json',
  'invalid_response',
  'unexpected_status',
  'endpoint_missing',
]);

export interface RenewalHost {
  readonly keeper: Keeper;
  readonly patience: Patience;
  /** Called after a sign-in, because cached data of the MCP server can belong to another user. */
  onSignIn(): void;
}

/** Obtains tokens for one MCP server. The session runs only one of the methods at a time. */
export class Renewal {
  readonly #server: URL;
  readonly #grant: Grant;
  readonly #options: SessionOptions;
  readonly #host: RenewalHost;
  readonly #keeper: Keeper;
  readonly #patience: Patience;
  #reach: Promise<Reach> | undefined;

  constructor(server: URL, grant: Grant, options: SessionOptions, host: RenewalHost) {
    this.#server = server;
    this.#grant = grant;
    this.#options = options;
    this.#host = host;
    this.#keeper = host.keeper;
    this.#patience = host.patience;
  }

  /** Returns the cached or stored token for a request, renewed if it has expired. */
  async ready(host: FlowHost): Promise<Held | undefined> {
    const held = this.#keeper.held ?? (await this.#keeper.load());
    if (!held) return undefined;
    await this.#checkTransport();
    this.#use(held);
    return isExpired(held.record) ? this.renewed(host, held) : held;
  }

  /** Renews a token without the user. If that fails, returns `held`, or rejects if `held` has expired and a retry can help. */
  async renewed(host: FlowHost, held: Held): Promise<Held> {
    const wire = await this.#wire(host);
    try {
      const next = await (this.#asksPerson ? this.#refresh(wire, held) : this.#another(host, wire, held));
      return next ? this.#use(next) : held;
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      const isOver = isExpired(held.record);
      const isPassing = isOver && error.isRetryable && (await isStillNamed(wire, this.#server, held.at.issuer));
      if (isPassing) throw error;
      // A valid token is used, and the next request tries again. An expired token is sent too: its 401 challenge tells what is
      // needed, while a request without a token might be treated as anonymous.
      return held;
    }
  }

  /** Returns a token for a background request that was refused, without asking the user; undefined if there is none. */
  async quietly(host: FlowHost, sent: Held | undefined): Promise<Held | undefined> {
    await this.#checkTransport();
    const kept = await this.#keeper.load();
    if (!kept || kept.isUntried) return undefined;
    const isNewer = kept.record.accessToken !== sent?.record.accessToken && !isExpiring(kept.record);
    return isNewer ? this.#use(kept) : this.renewed(host, kept);
  }

  /** Obtains a token for a call that was refused. Asks the user if necessary. */
  renew(
    host: FlowHost,
    sent: Held | undefined,
    said: AuthChallenge | undefined,
    isScope: boolean,
  ): Promise<Held | undefined> {
    const exclusive = <T>(task: () => Promise<T>): Promise<T> => this.#keeper.exclusive(task, host.signal);
    return waitingAsForPerson(this.#asksPerson ? host : undefined, exclusive, async () => {
      await this.#checkTransport();
      const kept = await this.#keeper.load();
      const isNewer = kept && kept.record.accessToken !== sent?.record.accessToken && !isExpiring(kept.record);
      if (isNewer && (!isScope || covers(kept.record.scopes, said?.scopes ?? []))) return this.#use(kept);
      const wire = await this.#wire(host);
      try {
        const found = await this.#discover(wire, said);
        const current = kept ?? sent;
        // Tokens of another issuer cannot be refreshed at this one.
        const mine = current?.at.issuer === found.as.issuer ? current : undefined;
        const refreshed = isScope || !mine ? undefined : await this.#refreshed(wire, mine, said);
        if (refreshed) return this.#use(refreshed);
        const isMore = isScope || !covers(mine?.record.scopes ?? [], said?.scopes ?? []);
        if (this.#asksPerson) this.#patience.check(wire, found.as.issuer, said, isMore);
        return await this.#obtain(host, wire, found, mine, said, isScope);
      } catch (error) {
        throw wire.explained(error);
      }
    });
  }

  // Grants with a user: refreshes the token, or uses one that another process has stored.
  async #refresh(wire: Wire, held: Held): Promise<Held | undefined> {
    if (held.record.refreshToken !== undefined) return this.#keeper.refresh(wire, held);
    const kept = await this.#keeper.load();
    return kept && !isExpiring(kept.record) ? kept : undefined;
  }

  // Grants without a user: obtains a new token if the issuer is still the same.
  #another(host: FlowHost, wire: Wire, held: Held): Promise<Held | undefined> {
    return this.#keeper.exclusive(async () => {
      const kept = await this.#keeper.load();
      if (kept && kept.record.accessToken !== held.record.accessToken && !isExpiring(kept.record)) return kept;
      const found = await this.#discover(wire, undefined);
      const isSame = found.as.issuer === held.at.issuer;
      return isSame ? this.#obtain(host, wire, found, held, undefined, false) : undefined;
    }, host.signal);
  }

  get #asksPerson(): boolean {
    return this.#grant.wantsRefreshTokens;
  }

  // Calls `onSignIn` for a token from a sign-in in another process, because the user can be a different one.
  #use(held: Held): Held {
    const { held: before } = this.#keeper;
    if (held !== before && held.record.source === 'grant' && this.#asksPerson) this.#host.onSignIn();
    return this.#keeper.use(held);
  }

  async #discover(wire: Wire, challenge: AuthChallenge | undefined): Promise<Discovered> {
    const known = await this.#keeper.knownIssuer();
    const { issuer, hasCredentials } = this.#grant;
    const found = await discover(wire, this.#server, { challenge, issuer, known, hasCredentials });
    this.#keeper.remember(found.as);
    return found;
  }

  async #refreshed(wire: Wire, held: Held, challenge: AuthChallenge | undefined): Promise<Held | undefined> {
    const { record, isUntried } = held;
    if (isUntried && record.source === 'grant' && !isExpired(record)) {
      const message = described(
        'The server refuses the token that its authorization server has just given for it',
        challenge,
      );
      throw wire.failure(challenge?.error ?? 'invalid_token', message, { challenge });
    }
    if (isUntried || record.refreshToken === undefined) return undefined;
    try {
      return await this.#keeper.refresh(wire, held);
    } catch (error) {
      // The refresh was refused for good, so only a new authorization can help.
      if (error instanceof AuthError && !error.isRetryable && !FAULTS.has(error.code)) return undefined;
      throw error;
    }
  }

  async #obtain(
    host: FlowHost,
    wire: Wire,
    found: Discovered,
    before: Held | undefined,
    said: AuthChallenge | undefined,
    isStepUp: boolean,
  ): Promise<Held> {
    const { store } = this.#options;
    const scopes = this.#scopesFor(found, before, said);
    const isBound = before?.record.tokenType === 'dpop' || found.dpopRequired || said?.scheme === 'dpop';
    const dpop = await this.#proverFor(found, isBound);
    const asked = scopes.length > 0 ? scopes : undefined;
    const server = this.#server;
    const { withPerson } = host;
    const context = { wire, store, server, found, scopes: asked, dpop, withPerson };
    const granted = await this.#grant
      .obtain(context)
      .catch((error: unknown) => this.#patience.refused(wire.explained(error)));
    const { clientId } = granted.identity;
    const at = { issuer: found.as.issuer, resource: found.resource, clientId };
    const held = await this.#keeper.keep(at, granted.tokens, scopes, dpop);
    held.isStepUp = isStepUp;
    this.#patience.granted(at.issuer, scopes);
    if (this.#asksPerson) this.#host.onSignIn();
    return held;
  }

  // The challenge's scopes are needed now. Scopes of earlier tokens are requested again, because the new token replaces them.
  #scopesFor(found: Discovered, before: Held | undefined, said: AuthChallenge | undefined): readonly string[] {
    const { scopes: own = [] } = this.#options;
    const isKnown = before !== undefined || this.#options.scopes !== undefined;
    const earlier = unionOfScopes(own, before?.record.scopes ?? []);
    const chosen = isKnown
      ? unionOfScopes(earlier, said?.scopes ?? [])
      : firstScopes(said?.scopes, found.scopesSupported);
    return this.#grant.wantsRefreshTokens ? withOfflineAccess(chosen, found.as) : chosen;
  }

  async #proverFor(found: Discovered, isAsked: boolean): Promise<DpopProver | undefined> {
    const { dpop } = this.#options;
    const isWanted = dpop === 'auto' ? isAsked : dpop;
    return isWanted ? new DpopProver(await DpopKey.generate(dpopAlgorithm(found.as))) : undefined;
  }

  async #wire({ signal }: FlowHost): Promise<Wire> {
    const { send } = this.#options;
    return new Wire({
      send,
      signal,
      server: this.#server,
      reach: await this.#reachOfServer(),
      trusted: [this.#grant.issuer],
    });
  }

  #reachOfServer(): Promise<Reach> {
    this.#reach ??= this.#options.reachOf(this.#server);
    return this.#reach;
  }

  // Plain HTTP would expose the token on the network.
  async #checkTransport(): Promise<void> {
    if (this.#server.protocol === 'https:' || (await this.#reachOfServer()) !== 'public') return;
    throw new AuthError('insecure_transport', `Tokens are not sent to ${this.#server.origin}: it needs https`);
  }
}

/** Gets the requests to one MCP server let in: with what is kept, what can be refreshed, or what has to be asked for. */

import type {
  Authorizer,
  HeaderFields,
  HttpChallenge,
  ProtectedServer,
  RequestFacts,
  ResponseFacts,
} from '../../client/http-options.ts';
import { type AuthChallenge, AuthError } from '../errors.ts';
import { challengeIn } from './challenge.ts';
import { type Discovered, discover, isStillNamed } from './discovery.ts';
import { DpopKey, DpopProver, dpopAlgorithm, isNonceChallenge } from './dpop.ts';
import type { Send } from './exchange.ts';
import type { Grant } from './grant.ts';
import { type Held, isExpired, isExpiring, Keeper } from './keeper.ts';
import { Patience } from './patience.ts';
import type { Slot } from './records.ts';
import { covers, firstScopes, unionOfScopes, withOfflineAccess } from './scopes.ts';
import { shownScopes } from './send-rules.ts';
import { type FlowHost, SharedFlow, type Waiter, waitingAsForPerson } from './shared-flow.ts';
import type { CredentialStore } from './store.ts';
import { Wire } from './wire.ts';

/** What a session is made with. */
export interface SessionOptions {
  readonly store: CredentialStore;
  /** Whose tokens in the store are ours. */
  readonly slot: Slot;
  /** Scopes to ask for in any case. */
  readonly scopes: readonly string[] | undefined;
  /** Binds tokens to a key: always, never, or where the server asks for it. */
  readonly dpop: boolean | 'auto';
  readonly send: Send;
  /** Whether the server at this URL is in a private network. */
  isPrivate(url: URL): Promise<boolean>;
}

// No words of an authorization server, but what is wrong with it: a person could not help either.
const FAULTS: ReadonlySet<string> = new Set(
  'redirected forbidden_address too_large not_json invalid_response unexpected_status endpoint_missing'.split(' '),
);
// Of a token that is still good another need not be had at once.
const REST_MS = 10_000;
/** Looks after one server, for every connection to it. */
export class Session {
  readonly #server: URL;
  readonly #grant: Grant;
  readonly #options: SessionOptions;
  readonly #keeper: Keeper;
  readonly #connections = new Set<ProtectedServer>();
  /** What each request was sent with. */
  readonly #given = new WeakMap<HeaderFields, Held>();
  #fields: { readonly held: Held; readonly fields: HeaderFields } | undefined;
  #flow: SharedFlow<Held | undefined> | undefined;
  readonly #patience = new Patience();
  /** Until then there is no early refresh. */
  #restsUntil = 0;
  #privacy: Promise<boolean> | undefined;

  constructor(server: URL, grant: Grant, options: SessionOptions) {
    this.#server = server;
    this.#grant = grant;
    this.#options = options;
    this.#keeper = new Keeper(server, options, grant);
  }

  /** For one connection. */
  authorizer(connection: ProtectedServer): Authorizer {
    if (!connection.signal.aborted) this.#connections.add(connection);
    connection.signal.addEventListener('abort', () => this.#connections.delete(connection), { once: true });
    return {
      headers: (request) => this.#headers(connection, request),
      challenged: (challenge) => this.#challenged(connection, challenge),
      answered: (response) => this.#answered(response),
    };
  }

  /** Forgets the tokens, here and in the store. */
  async forget(): Promise<void> {
    await this.#keeper.forget();
    this.#fields = undefined;
    this.#patience.forget();
  }

  #headers(connection: ProtectedServer, request: RequestFacts): HeaderFields | Promise<HeaderFields> {
    const { held } = this.#keeper;
    if (held && !isExpiring(held.record)) return this.#fieldsFor(held, request);
    if (held && !isExpired(held.record)) {
      this.#renewEarly(connection, held);
      return this.#fieldsFor(held, request);
    }
    const ready = this.#together(connection, request, (host) => this.#ready(host));
    return ready.then((now) => (now ? this.#fieldsFor(now, request) : {}));
  }

  // Nobody waits for it, and nothing is lost if it fails: what there is is still good.
  #renewEarly(connection: ProtectedServer, held: Held): void {
    if (this.#isBusy || Date.now() < this.#restsUntil || connection.signal.aborted) return;
    this.#restsUntil = Date.now() + REST_MS;
    const outcome = this.#together(connection, { isBackground: true }, (host) => this.#renewed(host, held));
    const onEnd = (next: Held | undefined): void => {
      if (next !== held) this.#restsUntil = 0;
    };
    outcome.then(onEnd, () => {});
  }

  #fieldsFor(held: Held, { method, url }: RequestFacts): HeaderFields | Promise<HeaderFields> {
    const { record, prover } = held;
    if (prover && record.tokenType === 'dpop') return this.#boundFields(held, prover, method, url);
    if (this.#fields?.held === held) return this.#fields.fields;
    const fields = this.#give(held, { authorization: `Bearer ${record.accessToken}` });
    this.#fields = { held, fields };
    return fields;
  }

  async #boundFields(held: Held, prover: DpopProver, method: string, url: URL): Promise<HeaderFields> {
    const { accessToken } = held.record;
    const dpop = await prover.prove(method, url, { accessToken });
    return this.#give(held, { authorization: `DPoP ${accessToken}`, dpop });
  }

  #give(held: Held, fields: HeaderFields): HeaderFields {
    this.#given.set(fields, held);
    return fields;
  }

  #answered(response: ResponseFacts): void {
    const held = this.#given.get(response.sent);
    if (!held) return;
    held.isUntried = false;
    held.prover?.takeNonce(response.url.origin, response.header('dpop-nonce'));
  }

  async #challenged(connection: ProtectedServer, challenge: HttpChallenge): Promise<boolean> {
    const { status, url } = challenge;
    const sent = this.#given.get(challenge.sent);
    const header = challenge.header('www-authenticate');
    const hasNonce = sent?.prover?.takeNonce(url.origin, challenge.header('dpop-nonce'));
    if (hasNonce && isNonceChallenge(challenge)) return true;
    const said = challengeIn(header);
    const isScope = status === 403 && said?.error === 'insufficient_scope';
    if (status === 403 && !isScope) return false;
    // Somebody else was faster, and what there is now was not refused yet.
    if (this.#keeper.held && this.#keeper.held !== sent) return true;
    if (challenge.isBackground) return !isScope && this.#challengedQuietly(connection, challenge, sent);
    if (isScope && sent) this.#checkProgress(sent, said, challenge.tries);
    const isEnough = (held: Held): boolean => !isScope || covers(held.record.scopes, said?.scopes ?? []);
    for (;;) {
      // What somebody else has begun may have been for something else.
      const isOwn = !this.#isBusy;
      const held = await this.#together(connection, challenge, (host) => this.#renew(host, sent, said, isScope));
      if (isOwn || (held && held !== sent && isEnough(held))) return true;
    }
  }

  // What belongs to no call is let in by what there is, or can be had without anybody.
  async #challengedQuietly(
    connection: ProtectedServer,
    challenge: HttpChallenge,
    sent: Held | undefined,
  ): Promise<boolean> {
    if (challenge.tries > 0) return false;
    const held = await this.#together(connection, challenge, async (host) => {
      await this.#checkTransport();
      const kept = await this.#keeper.load();
      if (!kept || kept.isUntried) return undefined;
      const isNewer = kept.record.accessToken !== sent?.record.accessToken && !isExpiring(kept.record);
      return isNewer ? this.#use(kept) : this.#renewed(host, kept);
    });
    return held !== undefined && held !== sent;
  }

  // Asking again for what was asked for already leads to the same, and what leads to more questions is not gone on with.
  #checkProgress(sent: Held, challenge: AuthChallenge, tries: number): void {
    const { scopes = [] } = challenge;
    const { granted } = sent.record;
    const isAsked = covers([...this.#patience.asked], scopes) || (granted !== undefined && covers(granted, scopes));
    if (!isAsked && !(tries > 0 && sent.isStepUp)) return;
    const needed = scopes.length > 0 ? `: it needs ${shownScopes(scopes)}` : '';
    const why = isAsked ? 'All of it was asked for already' : 'More was asked for already, and that was not enough';
    const message = `The server refuses the request for want of scope${needed}. ${why}`;
    throw new AuthError('insufficient_scope', message, { challenge });
  }

  get #isBusy(): boolean {
    return this.#flow !== undefined && !this.#flow.isGivenUp;
  }

  // One at a time, whoever asks: the others wait for the same.
  async #together(
    connection: ProtectedServer,
    request: Waiter,
    task: (host: FlowHost) => Promise<Held | undefined>,
  ): Promise<Held | undefined> {
    connection.signal.throwIfAborted();
    request.signal?.throwIfAborted();
    if (!this.#flow || this.#flow.isGivenUp) {
      const flow = new SharedFlow(task);
      this.#flow = flow;
      const over = (): void => {
        if (this.#flow === flow) this.#flow = undefined;
      };
      flow.outcome.then(over, over);
    }
    return this.#flow.join(connection, request);
  }

  async #ready(host: FlowHost): Promise<Held | undefined> {
    const held = this.#keeper.held ?? (await this.#keeper.load());
    if (!held) return undefined;
    await this.#checkTransport();
    this.#use(held);
    return isExpired(held.record) ? this.#renewed(host, held) : held;
  }

  // Without a token the server might take us for a stranger, where it has to tell us how to be let in: so there is one.
  async #renewed(host: FlowHost, held: Held): Promise<Held> {
    const wire = await this.#wire(host);
    try {
      const next = await (this.#asksPerson ? this.#refresh(wire, held) : this.#another(host, wire, held));
      return next ? this.#use(next) : held;
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      const isOver = isExpired(held.record);
      const isPassing = isOver && error.isRetryable && (await isStillNamed(wire, this.#server, held.at.issuer));
      if (isPassing) throw error;
      // What is still good is used, and the next request tries again; of what is not, the server says what to do.
      return held;
    }
  }

  // Whom a person let in has a refresh token, or what somebody else has put into the store meanwhile.
  async #refresh(wire: Wire, held: Held): Promise<Held | undefined> {
    if (held.record.refreshToken !== undefined) return this.#keeper.refresh(wire, held);
    const kept = await this.#keeper.load();
    return kept && !isExpiring(kept.record) ? kept : undefined;
  }

  // Whom nobody has to let in gets another, if it is still the same who gives them.
  #another(host: FlowHost, wire: Wire, held: Held): Promise<Held | undefined> {
    return this.#keeper.exclusive(async () => {
      const kept = await this.#keeper.load();
      if (kept && kept.record.accessToken !== held.record.accessToken && !isExpiring(kept.record)) return kept;
      const found = await this.#discover(wire, undefined);
      const isSame = found.as.issuer === held.at.issuer;
      return isSame ? this.#obtain(host, wire, found, held, undefined, false) : undefined;
    }, host.signal);
  }

  // Whether a person takes part in it.
  get #asksPerson(): boolean {
    return this.#grant.wantsRefreshTokens;
  }

  // What another process signed in with may be somebody else's.
  #use(held: Held): Held {
    const { held: before } = this.#keeper;
    if (held !== before && held.record.source === 'grant') this.#tellSignIn();
    return this.#keeper.use(held);
  }

  #tellSignIn(): void {
    if (!this.#asksPerson) return;
    for (const connection of this.#connections) connection.onSignIn();
  }

  #renew(
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
        // What one authorization server gave is nothing to another.
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
      const message = 'The server refuses the token that its authorization server has just given for it';
      throw wire.failure(challenge?.error ?? 'invalid_token', message, { challenge });
    }
    if (isUntried || record.refreshToken === undefined) return undefined;
    try {
      return await this.#keeper.refresh(wire, held);
    } catch (error) {
      // What is refused for good does not get better by trying again, but there is another way.
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
    this.#tellSignIn();
    return held;
  }

  // Those of the challenge are needed now, and those of before are not to be lost by asking for them.
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
      allowPrivate: await this.#isPrivate(),
      trusted: [this.#grant.issuer],
    });
  }

  #isPrivate(): Promise<boolean> {
    this.#privacy ??= this.#options.isPrivate(this.#server);
    return this.#privacy;
  }

  // Everybody on the way could read the token, and use it.
  async #checkTransport(): Promise<void> {
    if (this.#server.protocol === 'https:' || (await this.#isPrivate())) return;
    throw new AuthError('insecure_transport', `Tokens are not sent to ${this.#server.origin}: it needs https`);
  }
}

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
import { covers, firstScopes, unionOfScopes, withOfflineAccess } from './scopes.ts';
import { type FlowHost, SharedFlow } from './shared-flow.ts';
import type { CredentialStore } from './store.ts';
import { Wire } from './wire.ts';

/** What a session is made with. */
export interface SessionOptions {
  readonly store: CredentialStore;
  /** Scopes to ask for in any case. */
  readonly scopes: readonly string[] | undefined;
  /** Binds tokens to a key: always, never, or where the server asks for it. */
  readonly dpop: boolean | 'auto';
  readonly send: Send;
  /** Whether the server at this URL is in a private network. */
  isPrivate(url: URL): Promise<boolean>;
}

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
  #privacy: Promise<boolean> | undefined;

  constructor(server: URL, grant: Grant, options: SessionOptions) {
    this.#server = server;
    this.#grant = grant;
    this.#options = options;
    this.#keeper = new Keeper(server, options.store, grant);
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

  #headers(connection: ProtectedServer, request: RequestFacts): HeaderFields | Promise<HeaderFields> {
    const { held } = this.#keeper;
    if (held && !isExpiring(held.record)) return this.#fieldsFor(held, request);
    const ready = this.#together(connection, (host) => this.#ready(host));
    return ready.then((now) => (now ? this.#fieldsFor(now, request) : {}));
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
    if (isScope && sent) this.#checkProgress(sent, said, challenge.tries);
    const isEnough = (held: Held): boolean => !isScope || covers(held.record.scopes, said?.scopes ?? []);
    for (;;) {
      // What somebody else has begun may have been for something else.
      const isOwn = !this.#isBusy;
      const held = await this.#together(connection, (host) => this.#renew(host, sent, said, isScope));
      if (isOwn || (held && held !== sent && isEnough(held))) return true;
    }
  }

  // Asking again for what was asked for already leads to the same, and what leads to more questions is not gone on with.
  #checkProgress(sent: Held, challenge: AuthChallenge, tries: number): void {
    const { scopes = [] } = challenge;
    const isAsked = covers(sent.record.scopes, scopes);
    if (!isAsked && !(tries > 0 && sent.isStepUp)) return;
    const needed = scopes.length > 0 ? `: it needs ${scopes.join(' ')}` : '';
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
    task: (host: FlowHost) => Promise<Held | undefined>,
  ): Promise<Held | undefined> {
    connection.signal.throwIfAborted();
    if (!this.#flow || this.#flow.isGivenUp) {
      const flow = new SharedFlow(task);
      this.#flow = flow;
      const over = (): void => {
        if (this.#flow === flow) this.#flow = undefined;
      };
      flow.outcome.then(over, over);
    }
    return this.#flow.join(connection);
  }

  async #ready(host: FlowHost): Promise<Held | undefined> {
    const held = this.#keeper.held ?? (await this.#keeper.load());
    if (!held) return undefined;
    await this.#checkTransport();
    if (!isExpiring(held.record)) return this.#use(held);
    const wire = await this.#wire(host);
    try {
      const next = await this.#keeper.refresh(wire, held);
      // Without it the server might take us for a stranger, where it has to tell us how to be let in.
      return this.#use(next ?? held);
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      const isOver = isExpired(held.record);
      const isPassing = isOver && error.isRetryable && (await isStillNamed(wire, this.#server, held.at.issuer));
      if (isPassing) throw error;
      // What is still good is used, and the next request tries again; of what is not, the server says what to do.
      return this.#use(held);
    }
  }

  // What another process signed in with may be somebody else's.
  #use(held: Held): Held {
    const { held: before } = this.#keeper;
    if (held !== before && held.record.source === 'grant') this.#tellSignIn();
    return this.#keeper.use(held);
  }

  #tellSignIn(): void {
    for (const connection of this.#connections) connection.onSignIn();
  }

  #renew(
    host: FlowHost,
    sent: Held | undefined,
    said: AuthChallenge | undefined,
    isScope: boolean,
  ): Promise<Held | undefined> {
    return this.#keeper.exclusive(async () => {
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
        return refreshed ? this.#use(refreshed) : await this.#obtain(host, wire, found, mine, said, isScope);
      } catch (error) {
        throw wire.explained(error);
      }
    }, host.signal);
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
    return this.#keeper.refresh(wire, held);
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
    const granted = await this.#grant.obtain({ wire, store, server, found, scopes: asked, dpop, withPerson });
    const { clientId } = granted.identity;
    const at = { issuer: found.as.issuer, resource: found.resource, clientId };
    const held = await this.#keeper.keep(at, granted.tokens, scopes, dpop);
    held.isStepUp = isStepUp;
    this.#tellSignIn();
    return held;
  }

  // Those of the challenge are needed now, and those of before are not to be lost by asking for them.
  #scopesFor(found: Discovered, before: Held | undefined, said: AuthChallenge | undefined): readonly string[] {
    const earlier = before?.record.scopes ?? this.#options.scopes;
    const chosen = earlier
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
    return new Wire({ send, signal, server: this.#server, allowPrivate: await this.#isPrivate() });
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

/** `Session`: authorizes the requests to one MCP server, with cached, refreshed or newly obtained tokens. */

import type {
  Authorizer,
  AuthRequest,
  AuthResponse,
  HeaderFields,
  HttpChallenge,
  ProtectedServer,
} from '../../client/http-options.ts';
import { type AuthChallenge, AuthError } from '../errors.ts';
import { challengeIn, described } from './challenge.ts';
import { type DpopProver, isNonceChallenge } from './dpop.ts';
import type { Grant } from './grant.ts';
import { type Held, isExpired, isExpiring, Keeper } from './keeper.ts';
import { Patience } from './patience.ts';
import { Renewal, type SessionOptions } from './renewal.ts';
import { covers } from './scopes.ts';
import { shownScopes } from './send-rules.ts';
import { type FlowHost, SharedFlow, type Waiter } from './shared-flow.ts';

// Minimum time between two early refreshes of a token that is still valid.
const REST_MS = 10_000;
/** Authorizes the requests of all connections to one MCP server. */
export class Session {
  readonly #keeper: Keeper;
  readonly #renewal: Renewal;
  readonly #connections = new Set<ProtectedServer>();
  /** The token that each request was sent with, by the header fields of the request. */
  readonly #given = new WeakMap<HeaderFields, Held>();
  #fields: { readonly held: Held; readonly fields: HeaderFields } | undefined;
  #flow: SharedFlow<Held | undefined> | undefined;
  readonly #patience = new Patience();
  /** No early refresh before this time, in milliseconds since 1970. */
  #restsUntil = 0;

  constructor(server: URL, grant: Grant, options: SessionOptions) {
    const keeper = new Keeper(server, options, grant);
    const onSignIn = (): void => {
      for (const connection of this.#connections) connection.onSignIn();
    };
    this.#keeper = keeper;
    this.#renewal = new Renewal(server, grant, options, { keeper, patience: this.#patience, onSignIn });
  }

  authorizer(connection: ProtectedServer): Authorizer {
    if (!connection.signal.aborted) this.#connections.add(connection);
    connection.signal.addEventListener('abort', () => this.#connections.delete(connection), { once: true });
    return {
      headers: (request) => this.#headers(connection, request),
      onChallenge: (challenge) => this.#challenged(connection, challenge),
      answered: (response) => this.#answered(response),
    };
  }

  /** Deletes the tokens from memory and from the store. */
  async forget(): Promise<void> {
    await this.#keeper.forget();
    this.#fields = undefined;
    this.#patience.forget();
  }

  #headers(connection: ProtectedServer, request: AuthRequest): HeaderFields | Promise<HeaderFields> {
    const { held } = this.#keeper;
    if (held && !isExpiring(held.record)) return this.#fieldsFor(held, request);
    if (held && !isExpired(held.record)) {
      this.#renewEarly(connection, held);
      return this.#fieldsFor(held, request);
    }
    const ready = this.#together(connection, request, (host) => this.#renewal.ready(host));
    return ready.then((now) => (now ? this.#fieldsFor(now, request) : {}));
  }

  // Refreshes a token in the background. A failure is ignored, because the token is still valid.
  #renewEarly(connection: ProtectedServer, held: Held): void {
    if (this.#isBusy || Date.now() < this.#restsUntil || connection.signal.aborted) return;
    this.#restsUntil = Date.now() + REST_MS;
    const outcome = this.#together(connection, { isBackground: true }, (host) => this.#renewal.renewed(host, held));
    const onEnd = (next: Held | undefined): void => {
      if (next !== held) this.#restsUntil = 0;
    };
    outcome.then(onEnd, () => {});
  }

  #fieldsFor(held: Held, { method, url }: AuthRequest): HeaderFields | Promise<HeaderFields> {
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

  #answered(response: AuthResponse): void {
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
    // Another request has obtained a new token meanwhile: retry with that one.
    if (this.#keeper.held && this.#keeper.held !== sent) return true;
    if (challenge.isBackground) return !isScope && this.#challengedQuietly(connection, challenge, sent);
    if (isScope && sent) this.#checkProgress(sent, said, challenge.tries);
    const isEnough = (held: Held): boolean => !isScope || covers(held.record.scopes, said?.scopes ?? []);
    for (;;) {
      // If another request began the token acquisition, it can be for other scopes, so its result is checked.
      const isOwn = !this.#isBusy;
      const held = await this.#together(connection, challenge, (host) =>
        this.#renewal.renew(host, sent, said, isScope),
      );
      if (isOwn || (held && held !== sent && isEnough(held))) return true;
    }
  }

  // Background requests use existing or refreshed tokens, and never prompt the user.
  async #challengedQuietly(
    connection: ProtectedServer,
    challenge: HttpChallenge,
    sent: Held | undefined,
  ): Promise<boolean> {
    if (challenge.tries > 0) return false;
    const held = await this.#together(connection, challenge, (host) => this.#renewal.quietly(host, sent));
    return held !== undefined && held !== sent;
  }

  // Throws if the scopes were already requested or granted, or if a step-up authorization did not help.
  #checkProgress(sent: Held, challenge: AuthChallenge, tries: number): void {
    const { scopes = [] } = challenge;
    const { granted } = sent.record;
    const isAsked = covers([...this.#patience.asked], scopes) || (granted !== undefined && covers(granted, scopes));
    if (!isAsked && !(tries > 0 && sent.isStepUp)) return;
    const needed = scopes.length > 0 ? `: it needs ${shownScopes(scopes)}` : '';
    const why = isAsked ? 'All of it was asked for already' : 'More was asked for already, and that was not enough';
    const message = `The server refuses the request for want of scope${needed}. ${why}`;
    throw new AuthError('insufficient_scope', described(message, challenge, '. The server says'), { challenge });
  }

  get #isBusy(): boolean {
    return this.#flow !== undefined && !this.#flow.isGivenUp;
  }

  // Single flight: concurrent requests share one token acquisition.
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
}

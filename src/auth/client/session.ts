/** Gets the requests to one MCP server let in: with what is kept, what can be refreshed, or what has to be asked for. */

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

// Of a token that is still good another need not be had at once.
const REST_MS = 10_000;
/** Looks after one server, for every connection to it. */
export class Session {
  readonly #keeper: Keeper;
  readonly #renewal: Renewal;
  readonly #connections = new Set<ProtectedServer>();
  /** What each request was sent with. */
  readonly #given = new WeakMap<HeaderFields, Held>();
  #fields: { readonly held: Held; readonly fields: HeaderFields } | undefined;
  #flow: SharedFlow<Held | undefined> | undefined;
  readonly #patience = new Patience();
  /** Until then there is no early refresh. */
  #restsUntil = 0;

  constructor(server: URL, grant: Grant, options: SessionOptions) {
    const keeper = new Keeper(server, options, grant);
    const onSignIn = (): void => {
      for (const connection of this.#connections) connection.onSignIn();
    };
    this.#keeper = keeper;
    this.#renewal = new Renewal(server, grant, options, { keeper, patience: this.#patience, onSignIn });
  }

  /** For one connection. */
  authorizer(connection: ProtectedServer): Authorizer {
    if (!connection.signal.aborted) this.#connections.add(connection);
    connection.signal.addEventListener('abort', () => this.#connections.delete(connection), { once: true });
    return {
      headers: (request) => this.#headers(connection, request),
      onChallenge: (challenge) => this.#challenged(connection, challenge),
      answered: (response) => this.#answered(response),
    };
  }

  /** Forgets the tokens, here and in the store. */
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

  // Nobody waits for it, and nothing is lost if it fails: what there is is still good.
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
    // Somebody else was faster, and what there is now was not refused yet.
    if (this.#keeper.held && this.#keeper.held !== sent) return true;
    if (challenge.isBackground) return !isScope && this.#challengedQuietly(connection, challenge, sent);
    if (isScope && sent) this.#checkProgress(sent, said, challenge.tries);
    const isEnough = (held: Held): boolean => !isScope || covers(held.record.scopes, said?.scopes ?? []);
    for (;;) {
      // What somebody else has begun may have been for something else.
      const isOwn = !this.#isBusy;
      const held = await this.#together(connection, challenge, (host) =>
        this.#renewal.renew(host, sent, said, isScope),
      );
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
    const held = await this.#together(connection, challenge, (host) => this.#renewal.quietly(host, sent));
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
    throw new AuthError('insufficient_scope', described(message, challenge, '. The server says'), { challenge });
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
}

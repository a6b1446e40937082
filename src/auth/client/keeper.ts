/** Keeps the tokens for one MCP server: in memory, in the store, and fresh. */

import { AuthError } from '../errors.ts';
import { discoverIssuer } from './discovery.ts';
import { type DpopJwk, DpopKey, DpopProver } from './dpop.ts';
import type { Grant } from './grant.ts';
import { type Place, type ServerRecord, serverPlace, type TokenRecord, tokenPlace } from './records.ts';
import type { ServerMetadata } from './server-metadata.ts';
import type { CredentialStore } from './store.ts';
import { refreshGrant, type TokenResponse } from './token.ts';
import { requestTokens } from './token-exchange.ts';
import type { Wire } from './wire.ts';

/** Tokens, ready to be used. */
export interface Held {
  readonly at: ServerRecord;
  readonly record: TokenRecord;
  /** Proves that the token is ours, if it is bound to a key. */
  readonly prover: DpopProver | undefined;
  /** Got by this process, and not accepted by the server yet. */
  isUntried: boolean;
}

// Clocks differ, and a request takes its time to arrive.
const MARGIN_MS = 30_000;

/** The tokens of one server. Nothing of them is shown. */
export class Keeper {
  readonly #store: CredentialStore;
  readonly #grant: Grant;
  readonly #place: Place<ServerRecord>;
  readonly #metadata = new Map<string, ServerMetadata>();
  #held: Held | undefined;

  constructor(server: URL, store: CredentialStore, grant: Grant) {
    this.#store = store;
    this.#grant = grant;
    this.#place = serverPlace(server);
  }

  /** What is in use at the moment. */
  get held(): Held | undefined {
    return this.#held;
  }

  /** Runs a task while nobody else who shares the store looks after the same server. */
  exclusive<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#store.exclusive(this.#place.key, task, signal);
  }

  /** What the store has: somebody else may have put it there. */
  async load(): Promise<Held | undefined> {
    const at = await this.#place.read(this.#store);
    const record = at && (await tokenPlace(at).read(this.#store));
    if (!at || !record) return undefined;
    if (this.#held?.record.accessToken === record.accessToken) return this.#held;
    return { at, record, prover: await proverOf(record), isUntried: false };
  }

  /** The authorization server that was used the last time. */
  async knownIssuer(): Promise<string | undefined> {
    return (await this.#place.read(this.#store))?.issuer;
  }

  /** Uses these from now on. */
  use(held: Held): Held {
    this.#held = held;
    return held;
  }

  /** Uses none from now on; what is kept stays. */
  drop(): undefined {
    this.#held = undefined;
  }

  /** Keeps new tokens, and uses them. */
  async keep(at: ServerRecord, tokens: TokenResponse, scopes: readonly string[], prover?: DpopProver): Promise<Held> {
    const place = tokenPlace(at);
    const record = recordOf(tokens, { scopes, source: 'grant' }, prover);
    await this.#store.exclusive(place.key, () => place.write(this.#store, record), new AbortController().signal);
    await this.#place.write(this.#store, at);
    return this.use({ at, record, prover, isUntried: true });
  }

  /** Newer tokens for these; undefined if there are none to be had without asking anew. */
  refresh(wire: Wire, held: Held): Promise<Held | undefined> {
    const place = tokenPlace(held.at);
    return this.#store.exclusive(place.key, () => this.#refresh(wire, held, place), wire.signal);
  }

  /** Remembers the metadata of an authorization server. */
  remember(as: ServerMetadata): void {
    this.#metadata.set(as.issuer, as);
  }

  async #refresh(wire: Wire, held: Held, place: Place<TokenRecord>): Promise<Held | undefined> {
    const kept = await place.read(this.#store);
    if (!kept) return undefined;
    // Somebody else was faster.
    if (kept.accessToken !== held.record.accessToken && !isExpiring(kept)) return this.#take(held, kept);
    const { refreshToken } = kept;
    const identity = await this.#grant.identityAt(held.at.issuer, held.at.clientId, this.#store);
    if (refreshToken === undefined || !identity) return undefined;
    const as = await this.#metadataOf(wire, held.at.issuer);
    const prover = held.prover ?? (await proverOf(kept));
    const { resource } = held.at;
    try {
      const tokens = await requestTokens(wire, as, identity, { ...refreshGrant(refreshToken), resource, dpop: prover });
      const { scopes } = kept;
      const next = recordOf({ refreshToken, ...tokens }, { scopes, source: 'refresh' }, prover);
      await place.write(this.#store, next);
      return this.use({ at: held.at, record: next, prover, isUntried: true });
    } catch (error) {
      if (!isRejection(error)) throw error;
      return this.#rejected(held, kept, place);
    }
  }

  // A store that does not lock may have been written to meanwhile: what is newer is never touched.
  async #rejected(held: Held, used: TokenRecord, place: Place<TokenRecord>): Promise<Held | undefined> {
    const kept = await place.read(this.#store);
    if (kept && kept.refreshToken !== used.refreshToken) return this.#take(held, kept);
    const { refreshToken: _, ...rest } = used;
    await place.write(this.#store, rest);
    return undefined;
  }

  async #take({ at }: Held, record: TokenRecord): Promise<Held> {
    return this.use({ at, record, prover: await proverOf(record), isUntried: false });
  }

  async #metadataOf(wire: Wire, issuer: string): Promise<ServerMetadata> {
    const known = this.#metadata.get(issuer) ?? (await discoverIssuer(wire, issuer));
    this.remember(known);
    return known;
  }
}

/** True if a token is about to expire, or has. */
export function isExpiring({ expiresAt }: TokenRecord, margin: number = MARGIN_MS): boolean {
  return expiresAt !== undefined && expiresAt - margin <= Date.now();
}

// Everything else may be different in a moment, and nothing is lost by trying again.
const REJECTIONS: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

function isRejection(error: unknown): boolean {
  return error instanceof AuthError && REJECTIONS.has(error.code);
}

function recordOf(
  { accessToken, tokenType, refreshToken, expiresAt }: TokenResponse,
  { scopes, source }: Pick<TokenRecord, 'scopes' | 'source'>,
  prover: DpopProver | undefined,
): TokenRecord {
  return {
    accessToken,
    tokenType,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    scopes,
    ...(prover ? { dpopKey: prover.key.toJwk() } : {}),
    source,
  };
}

/** Proves with a key that was kept. */
export async function proverOf({ dpopKey }: { readonly dpopKey?: DpopJwk }): Promise<DpopProver | undefined> {
  return dpopKey && new DpopProver(await DpopKey.fromJwk(dpopKey));
}

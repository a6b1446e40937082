/** Keeps the tokens for one MCP server: in memory, in the store, and fresh. */

import { AuthError } from '../errors.ts';
import { discoverIssuer, isFor } from './discovery.ts';
import { type DpopJwk, DpopKey, DpopProver } from './dpop.ts';
import type { Grant } from './grant.ts';
import {
  forgetClient,
  type Place,
  type ServerRecord,
  type Slot,
  serverPlace,
  type TokenRecord,
  tokenPlace,
} from './records.ts';
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
  /** Got because the one before had too little scope. */
  isStepUp?: boolean;
}

// Clocks differ, and a request takes its time to arrive; but what lives shortly is not to be refreshed all the time.
const MARGIN_MS = 30_000;
const MARGIN_PART = 1 / 4;

/** Where tokens are kept, and whose they have to be. */
export interface KeeperOptions {
  readonly store: CredentialStore;
  readonly slot: Slot;
  /** With `true`, only tokens that are bound to a key will do. */
  readonly dpop: boolean | 'auto';
}

/** The tokens of one server. Nothing of them is shown. */
export class Keeper {
  readonly #server: URL;
  readonly #store: CredentialStore;
  readonly #slot: Slot;
  readonly #isBound: boolean;
  readonly #grant: Grant;
  readonly #place: Place<ServerRecord>;
  /** Of the authorization server that was asked last. */
  #metadata: ServerMetadata | undefined;
  #held: Held | undefined;

  constructor(server: URL, { store, slot, dpop }: KeeperOptions, grant: Grant) {
    this.#server = server;
    this.#store = store;
    this.#slot = slot;
    this.#isBound = dpop === true;
    this.#grant = grant;
    this.#place = serverPlace(server, slot);
  }

  /** What is in use at the moment. */
  get held(): Held | undefined {
    return this.#held;
  }

  /** Runs a task while nobody else who shares the store looks after the same server. */
  exclusive<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#store.exclusive(this.#place.key, task, signal);
  }

  /** What the store has: somebody else may have put it there. What was had under other options is as good as not there. */
  async load(): Promise<Held | undefined> {
    const at = await this.#place.read(this.#store);
    const record = at && (await this.#tokensAt(at).read(this.#store));
    if (!at || !record || !isFor(this.#grant.issuer, at.issuer)) return undefined;
    if (this.#isBound && record.tokenType !== 'dpop') return undefined;
    if (!(await this.#grant.identityAt(at.issuer, at.clientId, this.#store))) return undefined;
    if (this.#held?.record.accessToken === record.accessToken) return this.#held;
    return heldOf(at, record);
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

  /** Keeps new tokens, and uses them. */
  async keep(at: ServerRecord, tokens: TokenResponse, scopes: readonly string[], prover?: DpopProver): Promise<Held> {
    const place = this.#tokensAt(at);
    const record = recordOf(tokens, { scopes, source: 'grant' }, prover);
    await this.#store.exclusive(place.key, () => place.write(this.#store, record), new AbortController().signal);
    await this.#place.write(this.#store, at);
    return this.use({ at, record, prover, isUntried: true });
  }

  /** Newer tokens for these; undefined if there are none to be had without asking anew. */
  refresh(wire: Wire, held: Held): Promise<Held | undefined> {
    const place = this.#tokensAt(held.at);
    // An answer that nobody waited for would be lost, and with it the refresh token that took the place of the old one.
    return this.#store.exclusive(place.key, () => this.#refresh(wire.uninterrupted(), held, place), wire.signal);
  }

  /** Takes away what is kept for the server, here and in the store. */
  async forget(): Promise<void> {
    const at = await this.#place.read(this.#store);
    if (at) {
      const place = this.#tokensAt(at);
      // A refresh that is under way would bring them back.
      const remove = (): Promise<void> => place.write(this.#store, undefined);
      await this.#store.exclusive(place.key, remove, new AbortController().signal);
    }
    await this.#place.write(this.#store, undefined);
    this.#held = undefined;
  }

  /** Remembers the metadata of an authorization server. */
  remember(as: ServerMetadata): void {
    this.#metadata = as;
  }

  async #refresh(wire: Wire, held: Held, place: Place<TokenRecord>): Promise<Held | undefined> {
    const kept = await place.read(this.#store);
    if (!kept) return undefined;
    // Somebody else was faster.
    if (kept.accessToken !== held.record.accessToken && !isExpiring(kept)) return heldOf(held.at, kept);
    const { at } = held;
    const { refreshToken } = kept;
    const identity = await this.#grant.identityAt(at.issuer, at.clientId, this.#store);
    // A refresh token is bound to the key of its own generation.
    const from = kept.accessToken === held.record.accessToken ? held : await heldOf(at, kept);
    if (refreshToken === undefined || !identity || !from) return undefined;
    const { prover } = from;
    const { resource } = at;
    const as = await this.#metadataOf(wire, at.issuer);
    try {
      const tokens = await requestTokens(wire, as, identity, { ...refreshGrant(refreshToken), resource, dpop: prover });
      const { scopes, granted } = kept;
      const before = granted ? { refreshToken, scopes: granted } : { refreshToken };
      const next = recordOf({ ...before, ...tokens }, { scopes, source: 'refresh' }, prover);
      await place.write(this.#store, next);
      return { at, record: next, prover, isUntried: true };
    } catch (error) {
      // It may have moved within its authorization server.
      this.#metadata = undefined;
      if (!isRejection(error)) throw error;
      if (error.code === 'invalid_client') await forgetClient(this.#store, at.issuer, at.clientId);
      return this.#rejected(held, kept, place);
    }
  }

  // A store that does not lock may have been written to meanwhile: what is newer is never touched.
  async #rejected(held: Held, used: TokenRecord, place: Place<TokenRecord>): Promise<Held | undefined> {
    const kept = await place.read(this.#store);
    if (kept && kept.refreshToken !== used.refreshToken) return heldOf(held.at, kept);
    const { refreshToken: _, ...rest } = used;
    await place.write(this.#store, rest);
    return undefined;
  }

  #tokensAt(at: ServerRecord): Place<TokenRecord> {
    return tokenPlace(this.#server, this.#slot, at);
  }

  async #metadataOf(wire: Wire, issuer: string): Promise<ServerMetadata> {
    if (this.#metadata?.issuer === issuer) return this.#metadata;
    const found = await discoverIssuer(wire, issuer, this.#server);
    this.remember(found);
    return found;
  }
}

/** True if a token is about to expire, or has. */
export function isExpiring({ refreshAt, expiresAt = Number.POSITIVE_INFINITY }: TokenRecord): boolean {
  return (refreshAt ?? expiresAt - MARGIN_MS) <= Date.now();
}

/** True if a token has expired. */
export function isExpired({ expiresAt = Number.POSITIVE_INFINITY }: TokenRecord): boolean {
  return expiresAt <= Date.now();
}

// Everything else may be different in a moment, and nothing is lost by trying again.
const REJECTIONS: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

function isRejection(error: unknown): error is AuthError {
  return error instanceof AuthError && REJECTIONS.has(error.code);
}

function recordOf(
  { accessToken, tokenType, refreshToken, expiresAt, scopes: granted }: TokenResponse,
  { scopes, source }: Pick<TokenRecord, 'scopes' | 'source'>,
  prover: DpopProver | undefined,
): TokenRecord {
  return {
    accessToken,
    tokenType,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...timesOf(expiresAt),
    scopes,
    ...(granted ? { granted } : {}),
    ...(prover ? { dpopKey: prover.key.toJwk() } : {}),
    source,
  };
}

function timesOf(expiresAt = 0): Pick<TokenRecord, 'expiresAt' | 'refreshAt'> {
  const lifetime = expiresAt - Date.now();
  // Some say zero where they mean that they do not know.
  if (lifetime <= 0) return {};
  return { expiresAt, refreshAt: expiresAt - Math.min(MARGIN_MS, lifetime * MARGIN_PART) };
}

// Whoever put it there has tried it, or will. Without the key that it is bound to it is nothing.
async function heldOf(at: ServerRecord, record: TokenRecord): Promise<Held | undefined> {
  try {
    return { at, record, prover: await proverOf(record), isUntried: false };
  } catch {
    return undefined;
  }
}

/** Proves with a key that was kept. */
export async function proverOf({ dpopKey }: { readonly dpopKey?: DpopJwk }): Promise<DpopProver | undefined> {
  return dpopKey && new DpopProver(await DpopKey.fromJwk(dpopKey));
}

/** `Keeper`: token cache for one MCP server, in memory and in the credential store, with refresh. */

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

/** A cached access token. */
export interface Held {
  readonly at: ServerRecord;
  readonly record: TokenRecord;
  /** Creates DPoP proofs if the token is bound to a key. */
  readonly prover: DpopProver | undefined;
  /** True if this process obtained the token and the MCP server has not accepted it yet. */
  isUntried: boolean;
  /** True if the token was obtained because the previous token lacked a scope (step-up authorization). */
  isStepUp?: boolean;
}

// Tokens are refreshed 30 s before expiry (clock skew, latency), or after 3/4 of their lifetime if that is later.
const MARGIN_MS = 30_000;
const MARGIN_PART = 1 / 4;

export interface KeeperOptions {
  readonly store: CredentialStore;
  readonly slot: Slot;
  /** `true`: stored tokens that are not DPoP-bound are ignored. */
  readonly dpop: boolean | 'auto';
}

export class Keeper {
  readonly #server: URL;
  readonly #store: CredentialStore;
  readonly #slot: Slot;
  readonly #isBound: boolean;
  readonly #grant: Grant;
  readonly #place: Place<ServerRecord>;
  /** Metadata of the authorization server that was used last. */
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

  /** The token that new requests use. */
  get held(): Held | undefined {
    return this.#held;
  }

  /** Runs a task under the lock of the MCP server, which all processes that share the store respect. */
  exclusive<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#store.exclusive(this.#place.key, task, signal);
  }

  /** Reads the token from the store, where another process can have written it. Ignores tokens that do not fit the options. */
  async load(): Promise<Held | undefined> {
    const at = await this.#place.read(this.#store);
    const record = at && (await this.#tokensAt(at).read(this.#store));
    if (!at || !record || !isFor(this.#grant.issuer, at.issuer)) return undefined;
    if (this.#isBound && record.tokenType !== 'dpop') return undefined;
    if (!(await this.#grant.identityAt(at.issuer, at.clientId, this.#store))) return undefined;
    if (this.#held?.record.accessToken === record.accessToken) return this.#held;
    return heldOf(at, record);
  }

  /** Returns the issuer that was used last for the MCP server. */
  async knownIssuer(): Promise<string | undefined> {
    return (await this.#place.read(this.#store))?.issuer;
  }

  /** Makes `held` the token that new requests use. */
  use(held: Held): Held {
    this.#held = held;
    return held;
  }

  /** Stores new tokens, and uses them for new requests. */
  async keep(at: ServerRecord, tokens: TokenResponse, scopes: readonly string[], prover?: DpopProver): Promise<Held> {
    const place = this.#tokensAt(at);
    const record = recordOf(tokens, { scopes, source: 'grant' }, prover);
    await this.#store.exclusive(place.key, () => place.write(this.#store, record), new AbortController().signal);
    await this.#place.write(this.#store, at);
    return this.use({ at, record, prover, isUntried: true });
  }

  /** Returns a refreshed token, or a newer one from the store. Undefined if only a new authorization can help. */
  refresh(wire: Wire, held: Held): Promise<Held | undefined> {
    const place = this.#tokensAt(held.at);
    // Ignores aborts: if refresh tokens rotate, a lost response would lose the only valid refresh token.
    return this.#store.exclusive(place.key, () => this.#refresh(wire.uninterrupted(), held, place), wire.signal);
  }

  /** Deletes the tokens for the MCP server from memory and from the store. */
  async forget(): Promise<void> {
    const at = await this.#place.read(this.#store);
    if (at) {
      const place = this.#tokensAt(at);
      // Under the lock, because a refresh that is running would store the tokens again.
      const remove = (): Promise<void> => place.write(this.#store, undefined);
      await this.#store.exclusive(place.key, remove, new AbortController().signal);
    }
    await this.#place.write(this.#store, undefined);
    this.#held = undefined;
  }

  /** Caches the metadata of the authorization server for later refresh requests. */
  remember(as: ServerMetadata): void {
    this.#metadata = as;
  }

  async #refresh(wire: Wire, held: Held, place: Place<TokenRecord>): Promise<Held | undefined> {
    const kept = await place.read(this.#store);
    if (!kept) return undefined;
    // Another process has already refreshed the token.
    if (kept.accessToken !== held.record.accessToken && !isExpiring(kept)) return heldOf(held.at, kept);
    const { at } = held;
    const { refreshToken } = kept;
    const identity = await this.#grant.identityAt(at.issuer, at.clientId, this.#store);
    // A refresh token is bound to the DPoP key of its own record, so the key must come from there.
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
      // Fetches the metadata again next time, because the token endpoint could have moved.
      this.#metadata = undefined;
      if (!isRejection(error)) throw error;
      if (error.code === 'invalid_client') await forgetClient(this.#store, at.issuer, at.clientId);
      return this.#rejected(held, kept, place);
    }
  }

  // If the store does not lock, another process can have written newer tokens, which must not be changed.
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

/** True if a token has expired, or expires so soon that it must be refreshed. */
export function isExpiring({ refreshAt, expiresAt = Number.POSITIVE_INFINITY }: TokenRecord): boolean {
  return (refreshAt ?? expiresAt - MARGIN_MS) <= Date.now();
}

export function isExpired({ expiresAt = Number.POSITIVE_INFINITY }: TokenRecord): boolean {
  return expiresAt <= Date.now();
}

// OAuth errors that make a refresh token useless. After all other errors, the refresh can be tried again.
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
  // Some servers send `expires_in: 0` for an unknown lifetime.
  if (lifetime <= 0) return {};
  return { expiresAt, refreshAt: expiresAt - Math.min(MARGIN_MS, lifetime * MARGIN_PART) };
}

// Tokens from the store count as accepted by the MCP server. A DPoP token whose key cannot be read is unusable.
async function heldOf(at: ServerRecord, record: TokenRecord): Promise<Held | undefined> {
  try {
    return { at, record, prover: await proverOf(record), isUntried: false };
  } catch {
    return undefined;
  }
}

/** Creates a prover with a stored DPoP key; undefined if there is no key. */
export async function proverOf({ dpopKey }: { readonly dpopKey?: DpopJwk }): Promise<DpopProver | undefined> {
  return dpopKey && new DpopProver(await DpopKey.fromJwk(dpopKey));
}

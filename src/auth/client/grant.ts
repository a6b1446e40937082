/** `Grant`: interface of the OAuth grants. It obtains tokens; discovery, DPoP keys and storage are the same for all grants. */

import type { ClientIdentity } from './client-auth.ts';
import type { Discovered } from './discovery.ts';
import type { DpopProver } from './dpop.ts';
import type { CredentialStore } from './store.ts';
import type { TokenResponse } from './token.ts';
import type { Wire } from './wire.ts';

/** Input of `Grant.obtain`. */
export interface GrantContext {
  readonly wire: Wire;
  readonly store: CredentialStore;
  /** URL of the MCP server. */
  readonly server: URL;
  readonly found: Discovered;
  /** Scopes to request. Undefined: the parameter is omitted, and the authorization server decides. */
  readonly scopes: readonly string[] | undefined;
  /** Creates proofs with the key that the token will be bound to; undefined without DPoP. */
  readonly dpop: DpopProver | undefined;
  /** Runs a task that waits for the user. Request timeouts are paused meanwhile. */
  withPerson<T>(task: () => Promise<T>): Promise<T>;
}

export interface Granted {
  readonly tokens: TokenResponse;
  readonly identity: ClientIdentity;
}

export interface Grant {
  /** Configured issuer, or `discovered` for every issuer that the MCP server names. Undefined: not configured. */
  readonly issuer: string | undefined;
  /** True if the client id was registered beforehand, so that it is valid at one authorization server only. */
  readonly hasCredentials: boolean;
  /** True if obtaining tokens needs the user, so that refresh tokens are requested. Other grants just obtain a new token. */
  readonly wantsRefreshTokens: boolean;
  obtain(context: GrantContext): Promise<Granted>;
  /** Returns the client's identity at an issuer, for a refresh request; undefined if the identity is no longer known. */
  identityAt(issuer: string, clientId: string, store: CredentialStore): Promise<ClientIdentity | undefined>;
}

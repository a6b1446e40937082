/** A way to get tokens, as the session sees it: it says as whom, and gets them; the rest is the same for all. */

import type { ClientIdentity } from './client-auth.ts';
import type { Discovered } from './discovery.ts';
import type { DpopProver } from './dpop.ts';
import type { CredentialStore } from './store.ts';
import type { TokenResponse } from './token.ts';
import type { Wire } from './wire.ts';

/** What tokens are got with. */
export interface GrantContext {
  readonly wire: Wire;
  readonly store: CredentialStore;
  /** The MCP server. */
  readonly server: URL;
  readonly found: Discovered;
  /** What to ask for; undefined leaves it to the authorization server. */
  readonly scopes: readonly string[] | undefined;
  /** The key the token is to be bound to. */
  readonly dpop: DpopProver | undefined;
  /** Runs what needs a person: clocks stand still meanwhile. */
  withPerson<T>(task: () => Promise<T>): Promise<T>;
}

/** What was got. */
export interface Granted {
  readonly tokens: TokenResponse;
  readonly identity: ClientIdentity;
}

/** A way to get tokens. */
export interface Grant {
  /** The authorization server the client is registered at, `discovered` for any that the server names, or not said. */
  readonly issuer: string | undefined;
  /** Whether the client was registered beforehand, at one authorization server. */
  readonly hasCredentials: boolean;
  /** Whether tokens come from a person, so that others are to be had without one; a machine just gets others. */
  readonly wantsRefreshTokens: boolean;
  /** Gets tokens. */
  obtain(context: GrantContext): Promise<Granted>;
  /** This client as the issuer knows it, for a refresh; undefined if that is not known any more. */
  identityAt(issuer: string, clientId: string, store: CredentialStore): Promise<ClientIdentity | undefined>;
}

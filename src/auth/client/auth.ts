/** Options and sessions that `oauth()`, `deviceCode()` and the grants without a user share: one session per MCP server URL. */

import { reachOf, send } from '#auth-send';
import type { ClientAuth } from '../../client/http-options.ts';
import { checkCommon } from './checks.ts';
import type { Grant } from './grant.ts';
import { memoryStore } from './memory-store.ts';
import type { SessionOptions } from './renewal.ts';
import { reachOf as reachByName, sendWith } from './send-fetch.ts';
import { Session } from './session.ts';
import type { CredentialStore } from './store.ts';
import { keepingUnwritten } from './unwritten.ts';

/** Options that `oauth`, `deviceCode`, `clientCredentials`, `enterpriseManaged` and `workloadIdentity` share. */
export interface AuthOptions {
  /** Store of tokens and client registrations. Default: a new `memoryStore()`. */
  readonly store?: CredentialStore | undefined;
  /** Scopes to request besides those of a challenge. Default: those of the challenge, else the server's `scopes_supported`. */
  readonly scopes?: readonly string[] | undefined;
  /** DPoP (RFC 9449): `true` for all tokens, `false` for none, `auto` if the MCP server asks for it. Default: `auto`. */
  readonly dpop?: boolean | 'auto' | undefined;
  /**
   * `fetch` function for metadata and OAuth requests. Default on Node: `node:https`, which also applies the SSRF policy to the
   * addresses that hostnames resolve to. Default elsewhere: the global `fetch`.
   */
  readonly fetch?: typeof fetch | undefined;
}

/** Options that identify the client. Clients that differ in them do not share tokens in a store. */
interface ClientNaming {
  readonly clientId?: string | undefined;
  readonly clientMetadataUrl?: string | undefined;
  readonly clientName?: string | undefined;
}

/** Validates the options and fills in defaults. `who` is the function that got them, for error messages and store keys. */
export function sessionOptions(who: string, options: AuthOptions & ClientNaming): SessionOptions {
  checkCommon(who, options);
  const { store, scopes, dpop, fetch: own, clientId, clientMetadataUrl, clientName = '' } = options;
  const client = clientId ?? clientMetadataUrl;
  return {
    store: store ? keepingUnwritten(store) : memoryStore(),
    slot: client === undefined ? [who, '', clientName] : [who, client],
    scopes,
    dpop: dpop ?? 'auto',
    // A custom `fetch` can resolve hostnames in its own way, so the SSRF policy then judges by hostname, without DNS.
    ...(own ? { send: sendWith(own), reachOf: reachByName } : { send, reachOf: (url: URL) => reachOf(url) }),
  };
}

/** Creates a `ClientAuth` that authorizes requests with the tokens of `grant`. */
export function clientAuth(grant: Grant, options: SessionOptions): ClientAuth {
  const { authorizer } = clientSessions(grant, options);
  return { authorizer };
}

/** A `ClientAuth` that can also sign out. */
export interface ClientSessions extends ClientAuth {
  /** Deletes the tokens for one MCP server from memory and from the store. */
  forget(server: URL): Promise<void>;
}

/** Creates a `ClientAuth` with one session per MCP server URL, which all connections to that URL share. */
export function clientSessions(grant: Grant, options: SessionOptions): ClientSessions {
  const sessions = new Map<string, Session>();
  const sessionFor = (url: URL): Session => {
    const session = sessions.get(url.href) ?? new Session(url, grant, options);
    sessions.set(url.href, session);
    return session;
  };
  return {
    authorizer: (connection) => sessionFor(connection.url).authorizer(connection),
    forget: (server) => sessionFor(server).forget(),
  };
}

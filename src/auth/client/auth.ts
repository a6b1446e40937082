/** What every way of getting tokens has in common: sessions with servers, one for each URL. */

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

/** Options of every way of getting tokens. */
export interface AuthOptions {
  /** Where tokens and registrations are kept. Default: in memory, for this object alone. */
  readonly store?: CredentialStore | undefined;
  /** Scopes to ask for, beside those that the server asks for. Default: what the server lists. */
  readonly scopes?: readonly string[] | undefined;
  /** Binds tokens to a key (DPoP). Default: `auto`, where the server asks for it. */
  readonly dpop?: boolean | 'auto' | undefined;
  /** Sends the requests to authorization servers, in place of what the runtime has for that. */
  readonly fetch?: typeof fetch | undefined;
}

/** As whom a client appears, as far as that is known beforehand. */
interface ClientNaming {
  readonly clientId?: string | undefined;
  readonly clientMetadataUrl?: string | undefined;
  readonly clientName?: string | undefined;
}

/** The options with all defaults filled in; `who` is the function they were passed to. */
export function sessionOptions(who: string, options: AuthOptions & ClientNaming): SessionOptions {
  checkCommon(who, options);
  const { store, scopes, dpop, fetch: own, clientId, clientMetadataUrl, clientName = '' } = options;
  const client = clientId ?? clientMetadataUrl;
  return {
    store: store ? keepingUnwritten(store) : memoryStore(),
    slot: client === undefined ? [who, '', clientName] : [who, client],
    scopes,
    dpop: dpop ?? 'auto',
    // Who sends knows the way: a name may stand for something else there than here.
    ...(own ? { send: sendWith(own), reachOf: reachByName } : { send, reachOf: (url: URL) => reachOf(url) }),
  };
}

/** Gets requests let in with the tokens of a grant. */
export function clientAuth(grant: Grant, options: SessionOptions): ClientAuth {
  const { authorizer } = clientSessions(grant, options);
  return { authorizer };
}

/** The same, and how to end it. */
export interface ClientSessions extends ClientAuth {
  /** Forgets the tokens for one server. */
  forget(server: URL): Promise<void>;
}

/** One session for each URL. */
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

/** What every way of getting tokens has in common: sessions with servers, one for each URL. */

import { isPrivate, send } from '#auth-send';
import type { ClientAuth } from '../../client/http-options.ts';
import { checkCommon } from './checks.ts';
import type { Grant } from './grant.ts';
import { memoryStore } from './memory-store.ts';
import { isPrivate as isPrivateByName, sendWith } from './send-fetch.ts';
import { Session, type SessionOptions } from './session.ts';
import type { CredentialStore } from './store.ts';

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

/** The options with all defaults filled in; `who` is the function they were passed to. */
export function sessionOptions(who: string, options: AuthOptions): SessionOptions {
  checkCommon(who, options);
  const { store, scopes, dpop, fetch: own } = options;
  return {
    store: store ?? memoryStore(),
    scopes,
    dpop: dpop ?? 'auto',
    // Who sends knows the way: a name may stand for something else there than here.
    ...(own ? { send: sendWith(own), isPrivate: isPrivateByName } : { send, isPrivate: (url: URL) => isPrivate(url) }),
  };
}

/** Gets requests let in with the tokens of a grant. */
export function clientAuth(grant: Grant, options: SessionOptions): ClientAuth {
  const sessions = new Map<string, Session>();
  return {
    authorizer(connection) {
      const { href } = connection.url;
      const session = sessions.get(href) ?? new Session(connection.url, grant, options);
      sessions.set(href, session);
      return session.authorizer(connection);
    },
  };
}

/** `oauth()`: a person lets the client in, by way of a browser. */

import type { ClientAuth } from '../../client/http-options.ts';
import { AuthError } from '../errors.ts';
import { type AuthOptions, clientSessions, sessionOptions } from './auth.ts';
import type { Browser } from './browser.ts';
import { checkCredentials, checkFunction, checkText } from './checks.ts';
import { CodeGrant } from './code-grant.ts';
import { Keeper } from './keeper.ts';
import { type ClientOptions, Registrar } from './registrar.ts';
import { canListenAt, redirectUriFault } from './targets.ts';
import { Wire } from './wire.ts';

/** What an `authorize` of one's own is told beside the URL. */
export interface AuthorizeContext {
  /** What the callback has to bring back in `state`. */
  readonly state: string;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
}

/** Options of `oauth`; none is needed where there is a browser. */
export interface OAuthOptions extends AuthOptions, ClientOptions {
  /**
   * Where people are sent back to. Default: a free port of this machine, `http://127.0.0.1:<port>/callback`; with a port of
   * one's own, that one.
   */
  readonly redirectUri?: string | undefined;
  /**
   * Takes a person to the URL and gives the URL they were sent back to, for clients with a browser of their own; needs
   * `redirectUri`. If it gives nothing, the call fails with `authorization_pending`, and `finish` takes the callback later.
   */
  readonly authorize?: ((url: URL, context: AuthorizeContext) => Promise<URL | string | undefined>) | undefined;
  /**
   * Is told the page to show to a person, once, if no browser could be opened or nobody came back for 15 seconds.
   * Default: it is written to stderr.
   */
  readonly onUrl?: ((url: URL) => void) | undefined;
  /**
   * How long a person is waited for, in milliseconds; then the call fails with `authorization_timeout`. Default: 10
   * minutes.
   */
  readonly signInTimeoutMs?: number | undefined;
}

/** What `oauth` gives: for `connect`, and for those who complete authorizations later. */
export interface OAuth extends ClientAuth {
  /** Takes the URL a person was sent back to, and keeps the tokens: the next call is let in. */
  finish(callback: URL | string): Promise<void>;
  /**
   * Signs out here: takes the tokens for this MCP server out of the store, and out of use. The next call has to be let in
   * anew. The authorization server is not told, and other processes use what they have until it expires.
   */
  forget(server: URL | string): Promise<void>;
}

const GRANT_TYPES = ['authorization_code', 'refresh_token'];

/** Lets a person sign in at the authorization server of the MCP server. */
export function oauth(options: OAuthOptions = {}): OAuth {
  check(options);
  const { issuer, signInTimeoutMs } = options;
  const settings = sessionOptions('oauth', options);
  const registrar = new Registrar({ ...options, grantTypes: GRANT_TYPES });
  const grant = new CodeGrant({ issuer, registrar, browser: () => browserFor(options), signInTimeoutMs });
  const { authorizer, forget } = clientSessions(grant, settings);
  return {
    authorizer,
    async forget(server) {
      const url = URL.canParse(String(server)) ? new URL(server) : undefined;
      if (!url) throw new TypeError('forget needs the URL of an MCP server');
      url.hash = '';
      await forget(url);
    },
    async finish(callback) {
      const { store, send } = settings;
      const url = URL.canParse(String(callback)) ? new URL(callback) : undefined;
      if (!url) throw new TypeError('finish needs the URL that the person was sent back to');
      // Nobody waits for it, so nobody gives it up.
      const { signal } = new AbortController();
      const done = await grant.complete(
        store,
        url,
        async (server) => new Wire({ send, signal, server, reach: await settings.reachOf(server), trusted: [issuer] }),
      );
      const { record, identity, tokens, dpop } = done;
      const { authorization, resource } = record;
      const at = { issuer: authorization.issuer, resource, clientId: identity.clientId };
      const keeper = new Keeper(new URL(record.server), settings, grant);
      await keeper.keep(at, tokens, authorization.scopes, dpop);
    },
  };
}

function check({ authorize, redirectUri, onUrl, signInTimeoutMs, ...options }: OAuthOptions): void {
  checkCredentials('oauth', options);
  if (authorize !== undefined) {
    checkFunction('oauth', 'authorize', authorize);
    checkText('oauth', 'redirectUri', redirectUri);
  }
  if (onUrl !== undefined) checkFunction('oauth', 'onUrl', onUrl);
  if (signInTimeoutMs !== undefined && !(typeof signInTimeoutMs === 'number' && signInTimeoutMs > 0)) {
    throw new TypeError('oauth: "signInTimeoutMs" must be a number greater than 0');
  }
  const fault = redirectUri === undefined ? undefined : redirectUriFault(redirectUri);
  if (fault !== undefined) throw new TypeError(`oauth: "redirectUri": ${fault}`);
  if (authorize === undefined && redirectUri !== undefined && !canListenAt(redirectUri)) {
    throw new TypeError(
      'oauth: "redirectUri" is not of this machine (http://127.0.0.1, http://[::1] or http://localhost), so nobody is ' +
        'waited for there: pass "authorize", which takes a person to a URL and gives the one they were sent back to',
    );
  }
}

async function browserFor({ authorize, redirectUri = '', onUrl }: OAuthOptions): Promise<Browser> {
  if (authorize) return browserOf(authorize, redirectUri);
  // Whoever has a browser of its own needs nothing of the machine's.
  const { systemBrowser } = await import('#auth-browser');
  return systemBrowser({ redirectUri: redirectUri || undefined, onUrl });
}

function browserOf(authorize: NonNullable<OAuthOptions['authorize']>, redirectUri: string): Browser {
  return {
    begin: async () => ({
      redirectUri,
      async authorize(url, state, signal) {
        const callback = await authorize(url, { state, signal });
        if (callback === undefined) throw pending();
        if (!URL.canParse(String(callback))) throw new TypeError('oauth: "authorize" must give a URL, or nothing');
        return new URL(callback);
      },
      async close() {},
    }),
  };
}

function pending(): AuthError {
  const message = 'A person has to sign in first. Pass the URL they are sent back to to "finish", and call again';
  return new AuthError('authorization_pending', message, { isRetryable: true });
}

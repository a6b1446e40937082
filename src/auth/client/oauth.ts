/** `oauth()`: the user signs in with a browser (authorization code grant with PKCE). */

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

/** Second argument of the option `authorize`. */
export interface AuthorizeContext {
  /** Value of the parameter `state` that the callback must have. */
  readonly state: string;
  /** Aborts when the sign-in is cancelled or times out. */
  readonly signal: AbortSignal;
}

/** Options of `oauth`. None is required where a browser can be opened. */
export interface OAuthOptions extends AuthOptions, ClientOptions {
  /**
   * Redirect URI. Without a port, a free port is used. A URI that is not a loopback URI requires `authorize`. Default:
   * `http://127.0.0.1/callback`, with a free port.
   */
  readonly redirectUri?: string | undefined;
  /**
   * Opens the authorization URL and resolves to the callback URL, for clients with their own browser. Requires `redirectUri`.
   * If it resolves to undefined, the call fails with `authorization_pending`, and `finish` completes the sign-in later.
   */
  readonly authorize?: ((url: URL, context: AuthorizeContext) => Promise<URL | string | undefined>) | undefined;
  /** Called once with the URL to open if no browser opens, or no callback arrives for 15 seconds. Default: writes to stderr. */
  readonly onUrl?: ((url: URL) => void) | undefined;
  /** Time limit of a sign-in in milliseconds, after which calls fail with `authorization_timeout`. Default: 600 000. */
  readonly signInTimeoutMs?: number | undefined;
}

/** Result of `oauth`: the option `auth` of `connect`, with methods to complete sign-ins later and to sign out. */
export interface OAuth extends ClientAuth {
  /** Completes a sign-in with the URL of its callback, and stores the tokens for the next call. */
  finish(callback: URL | string): Promise<void>;
  /** Signs out: deletes the MCP server's tokens here and in the store, without revoking them. Other processes keep theirs. */
  forget(server: URL | string): Promise<void>;
}

const GRANT_TYPES = ['authorization_code', 'refresh_token'];

/** Obtains tokens by the authorization code grant: the user signs in at the MCP server's authorization server. */
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
      // `finish` cannot be cancelled.
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
  // With `authorize`, the code of the system browser is not loaded.
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

/** `bearer()`: sends an access token that the application obtained itself. */

import type { ClientAuth, HeaderFields } from '../../client/http-options.ts';
import { type AuthChallenge, AuthError } from '../errors.ts';
import { challengeIn, described } from './challenge.ts';
import { shownScopes } from './send-rules.ts';
import { isPrivateHost } from './targets.ts';

// Syntax of a bearer token (RFC 6750, section 2.1).
const TOKEN = /^[\w.~+/-]+=*$/;

/** Sends a token with each request; a function is called each time, and again after a 401. Over http: to private hosts only. */
export function bearer(token: string | (() => string | Promise<string>)): ClientAuth {
  if (typeof token !== 'function') check(token);
  return {
    authorizer: () => ({
      headers({ url }) {
        checkTransport(url);
        return typeof token === 'function' ? fieldsLater(token) : fieldsOf(token);
      },
      onChallenge({ status, tries, header }) {
        // Retries once, because the function could return another token now.
        if (status === 401 && tries === 0 && typeof token === 'function') return true;
        const challenge = challengeIn(header('www-authenticate'));
        const code = challenge?.error ?? (status === 401 ? 'invalid_token' : 'access_denied');
        const message = described(`The server refuses the token with status ${status} (${code})`, challenge);
        throw new AuthError(code, `${message}${neededScopes(challenge)}`, { challenge });
      },
    }),
  };
}

// Names only lacking scopes: challenges have scopes even if the token has expired or is for another audience.
function neededScopes({ error = 'insufficient_scope', scopes }: Partial<AuthChallenge> = {}): string {
  return scopes && error === 'insufficient_scope' ? `. It needs the scopes ${shownScopes(scopes)}` : '';
}

// Plain HTTP would expose the token on the network.
function checkTransport({ protocol, hostname, origin }: URL): void {
  if (protocol !== 'http:' || isPrivateHost(hostname)) return;
  throw new AuthError('insecure_transport', `Tokens are not sent to ${origin}: it needs https`);
}

async function fieldsLater(ask: () => string | Promise<string>): Promise<HeaderFields> {
  return fieldsOf(check(await ask()));
}

function fieldsOf(token: string): HeaderFields {
  return { authorization: `Bearer ${token}` };
}

function check(token: unknown): string {
  if (typeof token === 'string' && TOKEN.test(token)) return token;
  throw new TypeError('bearer needs a token: a string of the characters that tokens are made of, without "Bearer"');
}

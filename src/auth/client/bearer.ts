/** `bearer()`: a token that somebody else has got. */

import type { ClientAuth, HeaderFields } from '../../client/http-options.ts';
import { type AuthChallenge, AuthError } from '../errors.ts';
import { challengeIn, described } from './challenge.ts';
import { shownScopes } from './send-rules.ts';
import { isPrivateHost } from './targets.ts';

// What a header field can carry of a token (RFC 6750).
const TOKEN = /^[\w.~+/-]+=*$/;

/**
 * Sends a token with every request; a function is asked for it each time, and once more if the server refuses it. Over
 * http it goes to private networks only.
 */
export function bearer(token: string | (() => string | Promise<string>)): ClientAuth {
  if (typeof token !== 'function') check(token);
  return {
    authorizer: () => ({
      headers({ url }) {
        checkTransport(url);
        return typeof token === 'function' ? fieldsLater(token) : fieldsOf(token);
      },
      onChallenge({ status, tries, header }) {
        // A function may have another one by now.
        if (status === 401 && tries === 0 && typeof token === 'function') return true;
        const challenge = challengeIn(header('www-authenticate'));
        const code = challenge?.error ?? (status === 401 ? 'invalid_token' : 'access_denied');
        const message = described(`The server refuses the token with status ${status} (${code})`, challenge);
        throw new AuthError(code, `${message}${neededScopes(challenge)}`, { challenge });
      },
    }),
  };
}

// Servers name their scopes in every challenge. A token that is expired or for another audience does not lack any.
function neededScopes({ error = 'insufficient_scope', scopes }: Partial<AuthChallenge> = {}): string {
  return scopes && error === 'insufficient_scope' ? `. It needs the scopes ${shownScopes(scopes)}` : '';
}

// Everybody on the way could read the token, and use it.
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

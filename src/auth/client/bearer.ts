/** `bearer()`: a token that somebody else has got. */

import type { ClientAuth, HeaderFields } from '../../client/http-options.ts';
import { AuthError } from '../errors.ts';
import { challengeIn } from './challenge.ts';

// What a header field can carry of a token (RFC 6750).
const TOKEN = /^[\w.~+/-]+=*$/;

/** Sends a token with every request; a function is asked for it each time, and once more if the server refuses it. */
export function bearer(token: string | (() => string | Promise<string>)): ClientAuth {
  if (typeof token !== 'function') check(token);
  return {
    authorizer: () => ({
      headers: () => (typeof token === 'function' ? fieldsLater(token) : fieldsOf(token)),
      challenged({ status, tries, header }) {
        // A function may have another one by now.
        if (status === 401 && tries === 0 && typeof token === 'function') return true;
        const challenge = challengeIn(header('www-authenticate'));
        const code = challenge?.error ?? (status === 401 ? 'invalid_token' : 'access_denied');
        const needed = challenge?.scopes ? `. It needs the scopes ${challenge.scopes.join(' ')}` : '';
        throw new AuthError(code, `The server refuses the token with status ${status} (${code})${needed}`, {
          challenge,
        });
      },
    }),
  };
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

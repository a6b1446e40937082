/** Who calls in these tests, by the token they show. */

import type { Authenticate } from 'mcpp/http';
import type { Principal } from 'mcpp/server';

/** What somebody without credentials is told. */
export const CHALLENGE = 'Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"';

const alice: Principal = { issuer: 'https://as.example.com', subject: 'alice', clientId: 'app' };

const PEOPLE: ReadonlyMap<string | undefined, Principal> = new Map<string, Principal>([
  ['alice', { ...alice, scopes: ['a'], claims: { jti: '1' } }],
  // Her token was refreshed, and is good for something else.
  ['alice-refreshed', { ...alice, scopes: ['b'], claims: { jti: '2' } }],
  ['bob', { ...alice, subject: 'bob' }],
  ['alice-elsewhere', { ...alice, issuer: 'https://other.example.com' }],
  ['alice-with-another-app', { ...alice, clientId: 'other' }],
  ['alice-without-app', { issuer: 'https://as.example.com', subject: 'alice' }],
]);

/** Those who are not Alice, however much they look like her. */
export const OTHERS = ['bob', 'alice-elsewhere', 'alice-with-another-app', 'alice-without-app'] as const;

/** Lets in whom it knows. */
export const auth: Authenticate = (credentials) =>
  PEOPLE.get(credentials?.token) ?? { status: 401, headers: { 'WWW-Authenticate': CHALLENGE } };

/** The header field of somebody. */
export function as(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

import { describe, expect, test } from 'vitest';
import { AuthError } from '../errors.ts';
import { metadataPlaces } from '../metadata-places.ts';
import { asking } from './ask.ts';
import { discoverEndpoint, endpointIn } from './discovery.ts';

const another = (name: string): string =>
  `the document names another issuer, "${name}": if that is the one you mean, write it like that as "issuer"`;

describe('metadata is looked for in this order', () => {
  test.each([
    [
      'https://auth.example.com',
      [
        'https://auth.example.com/.well-known/oauth-authorization-server',
        'https://auth.example.com/.well-known/openid-configuration',
      ],
    ],
    [
      'https://auth.example.com/tenant1',
      [
        'https://auth.example.com/.well-known/oauth-authorization-server/tenant1',
        'https://auth.example.com/.well-known/openid-configuration/tenant1',
        'https://auth.example.com/tenant1/.well-known/openid-configuration',
      ],
    ],
    [
      'https://auth.example.com/realms/a/',
      [
        'https://auth.example.com/.well-known/oauth-authorization-server/realms/a',
        'https://auth.example.com/.well-known/openid-configuration/realms/a',
        'https://auth.example.com/realms/a/.well-known/openid-configuration',
      ],
    ],
  ])('%s', (issuer, urls) => {
    expect(metadataPlaces(issuer)).toEqual(urls);
  });
});

describe('a document', () => {
  const issuer = 'https://auth.example.com';
  const jwks_uri = 'https://keys.example.com/jwks';

  test('gives an endpoint', () => {
    expect(endpointIn({ issuer, jwks_uri }, issuer, 'jwks_uri')).toEqual({ url: jwks_uri });
  });

  test.each([
    [{ issuer: 'https://evil.example.com', jwks_uri }, another('https://evil.example.com')],
    [{ issuer: `${issuer}/`, jwks_uri }, another(`${issuer}/`)],
    [{ issuer: 'x\n'.repeat(100), jwks_uri }, another(`${'x\\u{a}'.repeat(64)}...`)],
    [{ issuer: '\u202e\u009b', jwks_uri }, another('\\u{202e}\\u{9b}')],
    [{ jwks_uri }, 'the document names no issuer'],
    [{ issuer: [issuer], jwks_uri }, 'the document names no issuer'],
    [{ issuer }, 'the document has no "jwks_uri"'],
    [{ issuer, jwks_uri: 7 }, 'the document has no "jwks_uri"'],
    [{ issuer, jwks_uri: '/jwks' }, 'the document has no "jwks_uri"'],
    [{ issuer, jwks_uri: 'http://keys.example.com/jwks' }, '"jwks_uri" is no https: URL'],
    [{ issuer, jwks_uri: 'file:///etc/passwd' }, '"jwks_uri" is no https: URL'],
  ])('%j breaks a rule', (document, broken) => {
    expect(endpointIn(document, issuer, 'jwks_uri')).toEqual({ broken });
  });
});

test('the first document that is the issuer’s is used, and what was tried can be told', async () => {
  const issuer = 'https://auth.example.com/a';
  const pages = new Map([
    ['https://auth.example.com/.well-known/oauth-authorization-server/a', { issuer: 'https://auth.example.com' }],
    ['https://auth.example.com/a/.well-known/openid-configuration', { issuer, jwks_uri: 'https://auth.example.com/k' }],
  ]);
  const ask = asking(async (url) => {
    const page = pages.get(String(url));
    return page ? Response.json(page) : new Response('', { status: 500 });
  });
  const { signal } = new AbortController();
  expect(await discoverEndpoint(ask, issuer, 'jwks_uri', signal)).toBe('https://auth.example.com/k');
  const failure = await discoverEndpoint(ask, issuer, 'introspection_endpoint', signal).catch((error) => error);
  expect(failure).toBeInstanceOf(AuthError);
  expect(failure).toMatchObject({ code: 'temporarily_unavailable', isRetryable: true });
  expect(failure.trace.map(({ status, outcome }: { status: number; outcome: string }) => [status, outcome])).toEqual([
    [200, another('https://auth.example.com')],
    [500, 'not 200'],
    [200, 'the document has no "introspection_endpoint"'],
  ]);
});

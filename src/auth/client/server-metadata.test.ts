import { describe, expect, test } from 'vitest';
import type { OAuthResponse } from './exchange.ts';
import {
  endpointIn,
  fallbackMetadata,
  readServerMetadata,
  requirePkce,
  serverMetadataUrls,
} from './server-metadata.ts';

const ISSUER = 'https://as.example/tenant1';
const DOCUMENT = {
  issuer: ISSUER,
  authorization_endpoint: 'https://as.example/tenant1/authorize',
  token_endpoint: 'https://as.example/tenant1/token',
  code_challenge_methods_supported: ['S256'],
};

const json = (body: unknown, status = 200): OAuthResponse => ({
  status,
  header: (name) => (name === 'content-type' ? 'application/json' : undefined),
  body: JSON.stringify(body),
});
const hrefs = (issuer: string): string[] => serverMetadataUrls(issuer).map(String);

describe('where it is looked for', () => {
  test('with a path at three places, without at two', () => {
    for (const issuer of [ISSUER, `${ISSUER}/`]) {
      expect(hrefs(issuer)).toEqual([
        'https://as.example/.well-known/oauth-authorization-server/tenant1',
        'https://as.example/.well-known/openid-configuration/tenant1',
        'https://as.example/tenant1/.well-known/openid-configuration',
      ]);
    }
    for (const issuer of ['https://as.example', 'https://as.example/']) {
      expect(hrefs(issuer)).toEqual([
        'https://as.example/.well-known/oauth-authorization-server',
        'https://as.example/.well-known/openid-configuration',
      ]);
    }
  });

  test.each([
    'as.example',
    'https://as.example?x',
    'https://as.example#',
    'ftp://as.example',
    'https://a:b@as.example',
    '',
  ])('nowhere for "%s"', (issuer) => {
    expect(() => serverMetadataUrls(issuer)).toThrow(expect.objectContaining({ code: 'invalid_issuer' }));
  });
});

describe('what it says', () => {
  test('is taken as it is', () => {
    expect(readServerMetadata(ISSUER, json({ ...DOCUMENT, x: { y: 1 } }))).toEqual({ ...DOCUMENT, x: { y: 1 } });
  });

  test.each([
    'https://evil.example',
    'https://AS.example/tenant1',
    'https://as.example:443/tenant1',
    'https://as.example/tenant%31',
    'https://as.example/tenant1/.',
    'https://as.example/tenant2',
  ])('is of no use if it is of the issuer %s', (issuer) => {
    expect(() => readServerMetadata(ISSUER, json({ ...DOCUMENT, issuer }))).toThrow(
      expect.objectContaining({
        code: 'issuer_mismatch',
        message: 'The authorization server metadata is of another issuer than the one it was asked for',
      }),
    );
  });

  test('is of no use for want of a slash either, but then the message says so', () => {
    const rows = [
      [ISSUER, `${ISSUER}/`],
      [`${ISSUER}/`, ISSUER],
    ] as const;
    for (const [asked, issuer] of rows) {
      expect(() => readServerMetadata(asked, json({ ...DOCUMENT, issuer }))).toThrow(
        expect.objectContaining({
          code: 'issuer_mismatch',
          message: expect.stringContaining('Only the slash at the end differs'),
        }),
      );
    }
  });

  test.each([
    ['token_endpoint', undefined],
    ['token_endpoint', '/token'],
    ['token_endpoint', 'http://as.example/token'],
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['authorization_endpoint', '$(calc)'],
    ['registration_endpoint', 'file:///etc/passwd'],
    ['device_authorization_endpoint', 'https://u:p@as.example/device'],
    ['authorization_endpoint', `https://as.example/${'x'.repeat(4096)}`],
  ])('is of no use with the %s %s', (name, value) => {
    expect(() => readServerMetadata(ISSUER, json({ ...DOCUMENT, [name]: value }))).toThrow(
      expect.objectContaining({ code: 'invalid_response', message: expect.stringContaining(`"${name}"`) }),
    );
  });

  test('needs no authorization endpoint where nobody is asked', () => {
    const { authorization_endpoint: _, ...rest } = DOCUMENT;
    expect(readServerMetadata(ISSUER, json({ ...rest, registration_endpoint: null }))).toEqual(rest);
  });

  test('counts as unsaid if it is of the wrong type', () => {
    const wrong = {
      scopes_supported: 'offline_access',
      code_challenge_methods_supported: 'S256',
      token_endpoint_auth_methods_supported: [1],
      dpop_signing_alg_values_supported: null,
      authorization_response_iss_parameter_supported: 'true',
      isFallback: true,
    };
    const { code_challenge_methods_supported: _, ...rest } = DOCUMENT;
    expect(readServerMetadata(ISSUER, json({ ...rest, ...wrong }))).toEqual(rest);
  });

  test('is nothing with another status or type', () => {
    expect(() => readServerMetadata(ISSUER, json(DOCUMENT, 500))).toThrow(
      expect.objectContaining({ isRetryable: true }),
    );
    expect(() => readServerMetadata(ISSUER, { ...json(DOCUMENT), header: () => 'text/html' })).toThrow(
      /not application\/json/,
    );
  });
});

describe('PKCE', () => {
  test('has to be said to be supported, with S256', () => {
    requirePkce({ issuer: ISSUER, code_challenge_methods_supported: ['plain', 'S256'] });
    for (const methods of [undefined, [], ['plain']]) {
      const as = methods ? { issuer: ISSUER, code_challenge_methods_supported: methods } : { issuer: ISSUER };
      expect(() => requirePkce(as)).toThrow(
        expect.objectContaining({
          code: 'pkce_unsupported',
          message: expect.stringContaining('code_challenge_methods_supported'),
        }),
      );
    }
  });

  test('is taken for granted of a server of 2025-03-26, as are three endpoints at its origin', () => {
    const as = fallbackMetadata(new URL('https://mcp.example:8443/v1/mcp?x=1'));
    expect(as).toEqual({
      issuer: 'https://mcp.example:8443',
      authorization_endpoint: 'https://mcp.example:8443/authorize',
      token_endpoint: 'https://mcp.example:8443/token',
      registration_endpoint: 'https://mcp.example:8443/register',
      code_challenge_methods_supported: ['S256'],
      isFallback: true,
    });
    requirePkce(as);
  });
});

test('an endpoint is a URL that something may be sent to', () => {
  expect(endpointIn(DOCUMENT, 'token_endpoint').href).toBe('https://as.example/tenant1/token');
  expect(endpointIn({ ...DOCUMENT, token_endpoint: 'http://localhost:9/token' }, 'token_endpoint').port).toBe('9');
  expect(() => endpointIn(DOCUMENT, 'registration_endpoint')).toThrow(
    expect.objectContaining({ code: 'endpoint_missing' }),
  );
  expect(() => endpointIn({ ...DOCUMENT, token_endpoint: 'http://as.example/t' }, 'token_endpoint')).toThrow(
    expect.objectContaining({ code: 'forbidden_url' }),
  );
});

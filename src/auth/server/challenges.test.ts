import { describe, expect, test } from 'vitest';
import { authenticateField, challengesOf } from './challenges.ts';

const metadataUrl = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
const where = `resource_metadata="${metadataUrl}"`;

describe('with scopes that every request needs', () => {
  const challenges = challengesOf({ metadataUrl, scopes: ['mcp:use'], scheme: 'bearer' });

  test('who shows nothing is told where to look, and of no error', () => {
    expect(challenges.missing).toEqual({
      status: 401,
      headers: { 'WWW-Authenticate': `Bearer ${where}, scope="mcp:use"` },
    });
  });

  test('a bad token has a reason', () => {
    expect(challenges.invalidToken('bearer', 'expired')).toEqual({
      status: 401,
      headers: {
        'WWW-Authenticate': `Bearer ${where}, scope="mcp:use", error="invalid_token", error_description="The token has expired"`,
      },
      message: 'The token has expired',
    });
  });

  test('a 403 names all that is needed, each once', () => {
    const { status, headers } = challenges.insufficientScope(['files:write', 'mcp:use', 'files:write']);
    expect([status, headers]).toEqual([
      403,
      {
        'WWW-Authenticate':
          `Bearer error="insufficient_scope", scope="mcp:use files:write", ${where}, ` +
          'error_description="The token lacks a scope that the request needs"',
      },
    ]);
  });

  test('a bad proof is of the scheme DPoP, and names the algorithms', () => {
    expect(challenges.invalidProof('reused').headers).toEqual({
      'WWW-Authenticate':
        `DPoP ${where}, scope="mcp:use", error="invalid_dpop_proof", error_description="The proof was used before", ` +
        'algs="ES256 ES384 ES512 PS256 PS384 PS512 RS256 RS384 RS512 EdDSA Ed25519"',
    });
  });

  test('what cannot be found out is a 503 that tells nothing', () => {
    expect(challenges.unavailable).toEqual({
      status: 503,
      headers: { 'Retry-After': '10' },
      message: 'Tokens cannot be checked at the moment',
    });
  });
});

test('without scopes none are named', () => {
  const { missing } = challengesOf({ metadataUrl, scopes: [], scheme: 'bearer' });
  expect(missing.headers).toEqual({ 'WWW-Authenticate': `Bearer ${where}` });
});

test('where proofs are required, the challenge asks for them', () => {
  const { missing } = challengesOf({ metadataUrl, scopes: [], scheme: 'dpop' });
  expect(missing.headers?.['WWW-Authenticate']).toMatch(/^DPoP resource_metadata="[^"]*", algs="ES256 /);
});

test('values are quoted', () => {
  expect(authenticateField('Bearer', { realm: 'a "b" \\c', scope: '' })).toBe('Bearer realm="a \\"b\\" \\\\c"');
});

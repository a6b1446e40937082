import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { AuthError } from '../errors.ts';
import { DpopKey, DpopProver } from './dpop.ts';
import type { OAuthResponse } from './exchange.ts';
import {
  authorizationCodeGrant,
  clientCredentialsGrant,
  deviceCodeGrant,
  type Entitlement,
  jwtBearerGrant,
  readTokens,
  refreshGrant,
  tokenRequest,
} from './token.ts';

const AS = { issuer: 'https://as.example', token_endpoint: 'https://as.example/token?v=2' };
const RESOURCE = 'https://mcp.example/mcp';
const NOW = 1_000_000;
const PENDING = {
  issuer: AS.issuer,
  issParameterSupported: true,
  state: 'st',
  verifier: 'ver',
  clientId: 'app',
  redirectUri: 'http://127.0.0.1:5000/cb',
  resource: RESOURCE,
  scopes: ['a'],
};

const json = (body: unknown, status = 200, type = 'application/json'): OAuthResponse => ({
  status,
  header: (name) => (name === 'content-type' ? type : undefined),
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

describe('a request', () => {
  test.each<[string, Entitlement, string]>([
    [
      'a code',
      authorizationCodeGrant(PENDING, 'c0de'),
      'grant_type=authorization_code&code=c0de&redirect_uri=http%3A%2F%2F127.0.0.1%3A5000%2Fcb&code_verifier=ver',
    ],
    ['a refresh token', refreshGrant('r3fresh'), 'grant_type=refresh_token&refresh_token=r3fresh'],
    [
      'the client itself',
      clientCredentialsGrant(['mcp:read', 'mcp:write']),
      'grant_type=client_credentials&scope=mcp%3Aread+mcp%3Awrite',
    ],
    ['the client itself, for whatever it may', clientCredentialsGrant([]), 'grant_type=client_credentials'],
    [
      'an assertion',
      jwtBearerGrant('a.b.c', ['x']),
      'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b.c&scope=x',
    ],
    [
      'a device code',
      deviceCodeGrant('dev1ce'),
      'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=dev1ce',
    ],
  ])('for %s has these bytes and no others', async (_, grant, body) => {
    const request = await tokenRequest(AS, { clientId: 'app' }, { ...grant, resource: RESOURCE });
    expect(request).toEqual({
      method: 'POST',
      url: new URL('https://as.example/token?v=2'),
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: `${body}&resource=https%3A%2F%2Fmcp.example%2Fmcp&client_id=app`,
    });
  });

  test('names no resource to a server of 2025-03-26', async () => {
    const { body } = await tokenRequest(AS, { clientId: 'app' }, { ...refreshGrant('r'), resource: undefined });
    expect(body).toBe('grant_type=refresh_token&refresh_token=r&client_id=app');
  });

  test('has a secret where the server wants it', async () => {
    const identity = { clientId: 'app', clientSecret: 's3cret' };
    const asked = { ...refreshGrant('r'), resource: undefined };
    const inHeader = await tokenRequest(AS, identity, asked);
    expect(inHeader.headers['authorization']).toBe(`Basic ${btoa('app:s3cret')}`);
    expect(inHeader.body).toBe('grant_type=refresh_token&refresh_token=r');
    const inBody = await tokenRequest(
      { ...AS, token_endpoint_auth_methods_supported: ['client_secret_post'] },
      identity,
      asked,
    );
    expect(inBody.body).toBe('grant_type=refresh_token&refresh_token=r&client_id=app&client_secret=s3cret');
  });

  test('proves the key that the token is to be bound to', async () => {
    const dpop = new DpopProver(await DpopKey.generate());
    dpop.takeNonce('https://as.example', 'n1');
    const { headers } = await tokenRequest(
      AS,
      { clientId: 'app' },
      { ...refreshGrant('r'), resource: undefined, dpop },
    );
    expect(decodeJwt(headers['dpop'] ?? '')).toMatchObject({
      htm: 'POST',
      htu: 'https://as.example/token',
      nonce: 'n1',
    });
  });

  test('goes nowhere else', async () => {
    const asked = { ...refreshGrant('r'), resource: undefined };
    await expect(tokenRequest({ issuer: AS.issuer }, { clientId: 'app' }, asked)).rejects.toMatchObject({
      code: 'endpoint_missing',
    });
    for (const token_endpoint of ['http://as.example/token', 'file:///token', 'token']) {
      await expect(tokenRequest({ ...AS, token_endpoint }, { clientId: 'app' }, asked)).rejects.toMatchObject({
        code: 'forbidden_url',
      });
    }
  });
});

describe('an answer', () => {
  const read = (body: unknown, dpop?: 'offered' | 'required'): unknown => readTokens(json(body), { now: NOW, dpop });

  test('has tokens', () => {
    expect(
      read({
        access_token: 'acc',
        token_type: 'Bearer',
        expires_in: 3600,
        refresh_token: 'ref',
        scope: 'a b',
        id_token: 'junk',
      }),
    ).toEqual({
      accessToken: 'acc',
      tokenType: 'bearer',
      refreshToken: 'ref',
      expiresAt: NOW + 3_600_000,
      scopes: ['a', 'b'],
    });
    expect(read({ access_token: 'acc', token_type: 'bearer' })).toEqual({ accessToken: 'acc', tokenType: 'bearer' });
  });

  test('is read as it was meant', () => {
    const base = { access_token: 'acc', token_type: 'bearer' };
    expect(read({ ...base, expires_in: '3600' })).toMatchObject({ expiresAt: NOW + 3_600_000 });
    expect(read({ ...base, expires_in: 0 })).toMatchObject({ expiresAt: NOW });
    for (const expires_in of [null, '', 'soon', -5, {}])
      expect(read({ ...base, expires_in })).not.toHaveProperty('expiresAt');
    expect(read({ ...base, refresh_token: null, scope: null })).toEqual({ accessToken: 'acc', tokenType: 'bearer' });
    expect(read({ ...base, refresh_token: '', scope: '' })).toEqual({ accessToken: 'acc', tokenType: 'bearer' });
    expect(readTokens(json(base, 200, 'application/json;charset=UTF-8'), { now: NOW }).accessToken).toBe('acc');
  });

  test('may be bound to a key only if one was offered, and must be if it is required', () => {
    const bound = { access_token: 'acc', token_type: 'DPoP' };
    const unbound = { access_token: 'acc', token_type: 'Bearer' };
    expect(read(bound, 'offered')).toMatchObject({ tokenType: 'dpop' });
    expect(read(bound, 'required')).toMatchObject({ tokenType: 'dpop' });
    expect(read(unbound, 'offered')).toMatchObject({ tokenType: 'bearer' });
    expect(() => read(unbound, 'required')).toThrow(expect.objectContaining({ code: 'dpop_refused' }));
    expect(() => read(bound)).toThrow(/"token_type" must be Bearer$/);
  });

  test.each([
    [{}, /"access_token" must be a string/],
    [{ access_token: 7, token_type: 'bearer' }, /"access_token" must be a string/],
    [{ access_token: '', token_type: 'bearer' }, /"access_token" must be a string/],
    [{ access_token: 'a\r\nX-Evil: 1', token_type: 'bearer' }, /no header field can carry/],
    [{ access_token: 'a b', token_type: 'bearer' }, /no header field can carry/],
    [{ access_token: 'acc' }, /"token_type" must be a string/],
    [{ access_token: 'acc', token_type: 'mac' }, /"token_type" must be Bearer/],
    [{ access_token: 'acc', token_type: 'N_A' }, /"token_type" must be Bearer/],
  ])('%j is of no use', (body, message) => {
    expect(() => read(body)).toThrow(
      expect.objectContaining({ code: 'invalid_response', message: expect.stringMatching(message) }),
    );
  });

  test.each<[OAuthResponse, string, boolean]>([
    [json({ error: 'invalid_grant' }, 400), 'invalid_grant', false],
    [json({ error: 'invalid_client' }, 401), 'invalid_client', false],
    [json({ error: 'invalid_target' }, 400), 'invalid_target', false],
    [json({ error: 'bad_verification_code' }, 200), 'bad_verification_code', false],
    [json({ error: 'server_error' }, 500), 'server_error', true],
    [json({ error: 'invalid_request' }, 429), 'invalid_request', true],
    [json('<html>', 502, 'text/html'), 'unexpected_status', true],
    [json('<html>', 403, 'text/html'), 'unexpected_status', true],
    [json('<html>', 200, 'text/html'), 'not_json', true],
    [json('access_token=acc&token_type=bearer', 200, 'application/x-www-form-urlencoded'), 'not_json', true],
    [json({ access_token: 'acc', token_type: 'bearer' }, 307), 'redirected', false],
    [json({}, 400), 'unexpected_status', false],
  ])('%# is an error of its own', (response, code, isRetryable) => {
    let error: unknown;
    try {
      readTokens(response, { now: NOW });
    } catch (reason) {
      error = reason;
    }
    expect(error).toBeInstanceOf(AuthError);
    expect(error).toMatchObject({ code, isRetryable });
    expect(error).not.toHaveProperty('cause');
  });
});

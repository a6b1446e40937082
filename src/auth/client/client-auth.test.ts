import { inspect } from 'node:util';
import { decodeProtectedHeader, exportJWK, exportPKCS8, generateKeyPair, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { type ClientIdentity, clientAuthFor } from './client-auth.ts';
import type { ServerMetadata } from './server-metadata.ts';

const AS: ServerMetadata = { issuer: 'https://as.example/tenant', token_endpoint: 'https://as.example/token' };

async function shown(as: ServerMetadata, identity: ClientIdentity): Promise<Record<string, string>> {
  const body = new URLSearchParams();
  const headers = new Headers();
  await clientAuthFor(as, identity)(as, { client_id: identity.clientId }, body, headers);
  return { ...Object.fromEntries(body), ...Object.fromEntries(headers) };
}

const taking = (...methods: string[]): ServerMetadata => ({ ...AS, token_endpoint_auth_methods_supported: methods });
const basic = (text: string): Record<string, string> => ({ authorization: `Basic ${btoa(text)}` });

describe('without credentials', () => {
  test('a client says its name, whatever the server lists', async () => {
    for (const as of [AS, taking('none'), taking('client_secret_basic')]) {
      expect(await shown(as, { clientId: 'app' })).toEqual({ client_id: 'app' });
    }
  });
});

describe('a secret', () => {
  test('is sent as the server takes it; if it does not say, in a header field', async () => {
    const identity = { clientId: 'app', clientSecret: 's3cret' };
    expect(await shown(AS, identity)).toEqual(basic('app:s3cret'));
    expect(await shown(taking('client_secret_post', 'client_secret_basic'), identity)).toEqual(basic('app:s3cret'));
    expect(await shown(taking('client_secret_post', 'none'), identity)).toEqual({
      client_id: 'app',
      client_secret: 's3cret',
    });
    expect(await shown(taking('none'), identity)).toEqual({ client_id: 'app' });
  });

  test('is form-encoded in the header field, and not more than that', async () => {
    expect(await shown(AS, { clientId: 'conformance-test_client.1*', clientSecret: 'a:b c+d/é%' })).toEqual(
      basic('conformance-test_client.1*:a%3Ab+c%2Bd%2F%C3%A9%25'),
    );
  });

  test('is used as it was told, if it was told', async () => {
    const identity = { clientId: 'app', clientSecret: 's3cret' };
    expect(await shown(taking('client_secret_basic'), { ...identity, authMethod: 'client_secret_post' })).toEqual({
      client_id: 'app',
      client_secret: 's3cret',
    });
    expect(await shown(AS, { ...identity, authMethod: 'none' })).toEqual({ client_id: 'app' });
  });
});

describe('a private key', () => {
  const PAYLOAD = { iss: 'app', sub: 'app', aud: 'https://as.example/tenant' };

  test('signs who the client is, for the issuer, for a minute, each time anew', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), kid: 'k1' };
    const pem = await exportPKCS8(privateKey);
    const seen = new Set<unknown>();
    for (const [key, kid] of [
      [{ key: pem, alg: 'ES256' }, undefined],
      [{ key: jwk }, 'k1'],
      [{ key: privateKey, kid: 'k2' }, 'k2'],
    ] as const) {
      const { client_assertion = '', ...rest } = await shown(taking('private_key_jwt'), {
        clientId: 'app',
        privateKey: key,
      });
      expect(rest).toEqual({
        client_id: 'app',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      });
      expect(decodeProtectedHeader(client_assertion)).toEqual({ alg: 'ES256', ...(kid !== undefined && { kid }) });
      const { payload } = await jwtVerify(client_assertion, publicKey);
      expect(payload).toEqual({
        ...PAYLOAD,
        jti: expect.any(String),
        iat: expect.any(Number),
        exp: (payload.iat ?? 0) + 60,
      });
      seen.add(payload.jti);
    }
    expect(seen.size).toBe(3);
  });

  test('comes before a secret, where the server takes it', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const identity = { clientId: 'app', clientSecret: 's3cret', privateKey: { key: privateKey } };
    expect(await shown(AS, identity)).toHaveProperty('client_assertion');
    expect(await shown(taking('client_secret_basic', 'private_key_jwt'), identity)).toHaveProperty('client_assertion');
    expect(await shown(taking('client_secret_basic'), identity)).toEqual(basic('app:s3cret'));
  });

  test('signs by the name that was told', async () => {
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true });
    const pem = await exportPKCS8(privateKey);
    const { client_assertion = '' } = await shown(AS, { clientId: 'app', privateKey: { key: pem, alg: 'EdDSA' } });
    expect(decodeProtectedHeader(client_assertion).alg).toBe('EdDSA');
    await jwtVerify(client_assertion, publicKey, { audience: AS.issuer });
  });
});

describe('what cannot be', () => {
  const PEM = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----';

  test.each<[string, ServerMetadata, Omit<ClientIdentity, 'clientId'>, RegExp]>([
    [
      'a method nobody knows',
      AS,
      { authMethod: 'tls_client_auth', clientSecret: 'sEcReT' },
      /must be one of private_key_jwt, /,
    ],
    ['a secret that is not there', AS, { authMethod: 'client_secret_basic' }, /a client secret is needed/],
    ['an empty secret', AS, { clientSecret: '' }, /a client secret is needed/],
    ['a key that is not there', AS, { authMethod: 'private_key_jwt' }, /a private key is needed/],
    [
      'nothing in common',
      taking('private_key_jwt'),
      { clientSecret: 'sEcReT' },
      /takes private_key_jwt, this client has client_secret/,
    ],
    ['PEM without an algorithm', AS, { privateKey: { key: PEM } }, /needs "alg"/],
    ['a key that is none', AS, { privateKey: { key: PEM, alg: 'ES256' } }, /cannot be read as one for ES256/],
    [
      'a public key',
      AS,
      { privateKey: { key: { kty: 'EC', crv: 'P-256', x: 'a', y: 'b' } } },
      /cannot be read as one for ES256/,
    ],
    [
      'an algorithm the server does not take',
      { ...AS, token_endpoint_auth_signing_alg_values_supported: ['RS256'] },
      { privateKey: { key: PEM, alg: 'ES256' } },
      /takes signatures by RS256, this key signs by ES256/,
    ],
  ])('%s is told, and nothing secret with it', async (_, as, identity, message) => {
    const error = await shown(as, { clientId: 'app', ...identity }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: 'AuthError',
      code: 'client_auth_unsupported',
      message: expect.stringMatching(message),
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/sEcReT|c2VjcmV0/);
  });

  test('the function that authenticates shows no secret', () => {
    const auth = clientAuthFor(AS, { clientId: 'app', clientSecret: 'sEcReT' });
    expect(inspect(auth, { depth: 9, showHidden: true })).not.toContain('sEcReT');
  });
});

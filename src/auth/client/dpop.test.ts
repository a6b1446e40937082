import { inspect } from 'node:util';
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, EmbeddedJWK, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { DpopKey, DpopProver, dpopAlgorithm, isNonceChallenge } from './dpop.ts';

const URL_WITH_QUERY = new URL('https://mcp.example:8443/mcp/?tenant=a#x');

describe('a proof', () => {
  test('is of one request: its method, its URL without query and fragment, its time, and a name of its own', async () => {
    const prover = new DpopProver(await DpopKey.generate());
    const before = Math.floor(Date.now() / 1000);
    const proof = await prover.prove('POST', URL_WITH_QUERY);
    const { protectedHeader, payload } = await jwtVerify(proof, EmbeddedJWK);
    expect(protectedHeader).toEqual({
      alg: 'ES256',
      typ: 'dpop+jwt',
      jwk: { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String) },
    });
    expect(payload).toEqual({
      htm: 'POST',
      htu: 'https://mcp.example:8443/mcp/',
      jti: expect.stringMatching(/^[\da-f-]{36}$/),
      iat: expect.any(Number),
    });
    expect(payload.iat).toBeGreaterThanOrEqual(before);
    expect(decodeJwt(await prover.prove('POST', URL_WITH_QUERY)).jti).not.toBe(payload.jti);
  });

  test('names the token that is shown with it by its digest', async () => {
    const prover = new DpopProver(await DpopKey.generate());
    const accessToken = 'Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU';
    // The example of RFC 9449, section 7.1.
    expect(decodeJwt(await prover.prove('GET', URL_WITH_QUERY, { accessToken }))).toMatchObject({
      ath: 'fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo',
    });
  });
});

describe('a nonce', () => {
  test('is in every proof for the origin that gave it, the last one each time', async () => {
    const prover = new DpopProver(await DpopKey.generate());
    const nonceFor = async (url: string): Promise<unknown> =>
      decodeJwt(await prover.prove('POST', new URL(url)))['nonce'];
    expect(prover.takeNonce('https://as.example', undefined)).toBe(false);
    expect(prover.takeNonce('https://as.example', 'n-1')).toBe(true);
    expect(prover.takeNonce('https://mcp.example', 'm-1')).toBe(true);
    expect(await nonceFor('https://as.example/token')).toBe('n-1');
    expect(await nonceFor('https://mcp.example/mcp')).toBe('m-1');
    expect(await nonceFor('https://other.example/')).toBeUndefined();
    expect(prover.takeNonce('https://as.example', 'n-2')).toBe(true);
    expect(await nonceFor('https://as.example/token')).toBe('n-2');
    const given = await prover.prove('POST', new URL('https://as.example/'), { nonce: 'given' });
    expect(decodeJwt(given)['nonce']).toBe('given');
  });

  test('is not taken if it has characters that it must not have, or is endless; and few origins are remembered', async () => {
    const prover = new DpopProver(await DpopKey.generate());
    for (const bad of ['', 'a b', 'a"b', 'é', 'x'.repeat(1025)])
      expect(prover.takeNonce('https://a.example', bad)).toBe(false);
    for (let at = 0; at <= 100; at += 1) prover.takeNonce(`https://a${at}.example`, 'n');
    expect(decodeJwt(await prover.prove('GET', new URL('https://a0.example/')))).not.toHaveProperty('nonce');
    expect(decodeJwt(await prover.prove('GET', new URL('https://a1.example/')))).toHaveProperty('nonce');
  });

  test('is asked for by a token endpoint in its body, and by a server in its challenge', () => {
    const asks = (status: number, header: string | undefined, body?: string): boolean =>
      isNonceChallenge({
        status,
        header: (name) => (name === 'www-authenticate' ? header : undefined),
        ...(body !== undefined && { body }),
      });
    expect(asks(400, undefined, '{"error":"use_dpop_nonce"}')).toBe(true);
    expect(asks(401, 'DPoP error="use_dpop_nonce", algs="ES256"')).toBe(true);
    expect(asks(401, 'Bearer, DPoP error="use_dpop_nonce"')).toBe(true);
    expect(asks(401, 'Bearer error="use_dpop_nonce"')).toBe(false);
    expect(asks(401, 'DPoP error="invalid_token"')).toBe(false);
    expect(asks(403, 'DPoP error="use_dpop_nonce"')).toBe(false);
    expect(asks(200, undefined, '{"error":"use_dpop_nonce"}')).toBe(false);
    expect(asks(400, undefined, '{"error":"invalid_grant"}')).toBe(false);
    expect(asks(400, undefined, 'use_dpop_nonce')).toBe(false);
    expect(asks(400, undefined)).toBe(false);
  });
});

describe('a key', () => {
  test('can be kept as JSON and is the same afterwards', async () => {
    const key = await DpopKey.generate();
    const kept: unknown = JSON.parse(JSON.stringify(key.toJwk()));
    expect(kept).toEqual({
      kty: 'EC',
      crv: 'P-256',
      alg: 'ES256',
      x: expect.any(String),
      y: expect.any(String),
      d: expect.any(String),
    });
    const again = await DpopKey.fromJwk(key.toJwk());
    expect(await again.thumbprint()).toBe(await key.thumbprint());
    const proof = await new DpopProver(again).prove('GET', URL_WITH_QUERY);
    await jwtVerify(proof, EmbeddedJWK);
    expect(await calculateJwkThumbprint(decodeProtectedHeader(proof).jwk ?? {})).toBe(await key.thumbprint());
  });

  test.each(['ES384', 'EdDSA', 'Ed25519', 'RS256'])('can be one for %s', async (alg) => {
    const key = await DpopKey.fromJwk((await DpopKey.generate(alg)).toJwk());
    const { protectedHeader } = await jwtVerify(await new DpopProver(key).prove('GET', URL_WITH_QUERY), EmbeddedJWK);
    expect(protectedHeader.alg).toBe(alg);
    expect(protectedHeader.jwk).not.toHaveProperty('d');
  });

  test('is no key if it is public, nameless or nonsense; and the error does not quote it', async () => {
    const { d, ...open } = (await DpopKey.generate()).toJwk();
    const { alg: _, ...nameless } = (await DpopKey.generate()).toJwk();
    for (const jwk of [open, nameless, {}, { ...open, d: 'sEcReT' }, { kty: 'oct', k: 'sEcReT', alg: 'HS256' }]) {
      const error = await DpopKey.fromJwk(jwk).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'invalid_dpop_key' });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('sEcReT');
    }
    expect(d).toBeDefined();
  });

  test('is not shown by what has it', async () => {
    const prover = new DpopProver(await DpopKey.generate());
    const { d = '' } = prover.key.toJwk();
    expect(inspect(prover, { depth: 9, showHidden: true })).not.toContain(d);
    expect(JSON.stringify(prover)).not.toContain(d);
  });
});

test('proofs are signed as the server takes them, best by ES256', () => {
  const as = { issuer: 'https://as.example' };
  expect(dpopAlgorithm(as)).toBe('ES256');
  expect(dpopAlgorithm({ ...as, dpop_signing_alg_values_supported: ['RS256', 'ES256'] })).toBe('ES256');
  expect(dpopAlgorithm({ ...as, dpop_signing_alg_values_supported: ['RS256', 'PS256'] })).toBe('PS256');
  expect(() => dpopAlgorithm({ ...as, dpop_signing_alg_values_supported: ['HS256', 'none'] })).toThrow(
    expect.objectContaining({ code: 'dpop_unsupported' }),
  );
});

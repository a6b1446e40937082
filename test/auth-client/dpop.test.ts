/** Tokens that are bound to a key: proofs with every request, nonces of both servers, and a key that is kept. */

import { decodeJwt, decodeProtectedHeader, EmbeddedJWK, jwtVerify } from 'jose';
import { type ClientAuth, clientCredentials, oauth } from 'mcpp/auth/client';
import { describe, expect, test, vi } from 'vitest';
import type { HeaderFields } from '../../src/client/http-options.ts';
import {
  AS,
  authorizationServer,
  callbackTo,
  connectionTo,
  type Door,
  enter,
  failureOf,
  type Guard,
  letsIn,
  MCP,
  METADATA,
  PRM,
  refused,
  resourceOf,
  TOKENS_KEY,
  tokens,
  world,
} from './world.ts';

const TOKEN = `POST ${AS}/token`;

interface Proof {
  readonly jti: string;
  readonly htm: string;
  readonly htu: string;
  readonly key: string;
}

/** What a proof says; its signature is that of the key in it. */
async function proofIn(headers: Readonly<Record<string, string>> | undefined): Promise<Proof> {
  const proof = headers?.['dpop'] ?? '';
  const { payload, protectedHeader } = await jwtVerify<Proof>(proof, EmbeddedJWK, { typ: 'dpop+jwt' });
  const { jwk = {} } = protectedHeader;
  expect(Object.keys(jwk).sort()).toEqual(['crv', 'kty', 'x', 'y']);
  return { ...payload, key: String(jwk.x) };
}

async function hashOf(token: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return Buffer.from(hash).toString('base64url');
}

const wants: Guard = (sent) =>
  sent['authorization'] === 'DPoP access-1' ? { status: 200 } : refused('DPoP algs="ES256"');

describe('a token is bound to a key', () => {
  test.each<[string, object, object, Guard]>([
    ['if the server challenges so', {}, {}, wants],
    ['if the application wants it', { dpop: true }, {}, letsIn('access-1')],
    ['if the metadata says so', {}, { dpop_bound_access_tokens_required: true }, letsIn('access-1')],
  ])('%s', async (_name, option, prm, guard) => {
    const { options, to, pages } = world({ [`GET ${PRM}`]: { json: resourceOf([AS], prm) } });
    const authorizer = oauth({ ...options, ...option }).authorizer(connectionTo());
    const { sent, status } = await enter(authorizer, guard);
    expect(status).toBe(200);
    const asked = await proofIn(to(TOKEN)[0]?.headers);
    expect(asked).toMatchObject({ htm: 'POST', htu: `${AS}/token`, iat: expect.any(Number), jti: expect.any(String) });
    expect(asked).not.toHaveProperty('ath');
    const shown = await proofIn(sent);
    expect(shown).toMatchObject({ htm: 'POST', htu: MCP, key: asked.key, ath: await hashOf('access-1') });
    expect(pages[0]?.searchParams.get('dpop_jkt')).toMatch(/^[\w-]{43}$/);
  });

  test('and not, if nobody wants it or the application does not', async () => {
    const { options, to } = world();
    await enter(oauth({ ...options, dpop: false }).authorizer(connectionTo()), (sent) =>
      sent['authorization'] ? { status: 200 } : refused('DPoP algs="ES256"'),
    );
    expect(to(TOKEN)[0]?.headers).not.toHaveProperty('dpop');
  });

  test('every request has a proof of its own, for its method and URL', async () => {
    const { options } = world();
    const authorizer = oauth({ ...options, dpop: true }).authorizer(connectionTo());
    await enter(authorizer, letsIn('access-1'));
    const url = new URL(`${MCP}?secret=1#x`);
    const sent = await Promise.all(
      ['POST', 'POST', 'GET', 'DELETE'].map((method) => authorizer.headers({ method, url })),
    );
    const proofs = await Promise.all(sent.map((fields) => proofIn(fields)));
    expect(proofs.map(({ htm, htu }) => `${htm} ${htu}`)).toEqual([
      `POST ${MCP}`,
      `POST ${MCP}`,
      `GET ${MCP}`,
      `DELETE ${MCP}`,
    ]);
    expect(new Set(proofs.map(({ jti }) => jti)).size).toBe(4);
  });

  test('a token in answer that is not bound is refused', async () => {
    const { options, kept } = world({ [TOKEN]: { json: { access_token: 'loose', token_type: 'Bearer' } } });
    const authorizer = oauth({ ...options, dpop: true }).authorizer(connectionTo());
    expect(await failureOf(enter(authorizer, letsIn('loose')))).toMatchObject({ code: 'dpop_refused' });
    expect(kept('tokens')).toEqual([]);
  });

  test('a bound token in answer to a request without a proof is refused', async () => {
    const { options } = world({ [TOKEN]: { json: { access_token: 'bound', token_type: 'DPoP' } } });
    expect(await failureOf(enter(oauth(options).authorizer(connectionTo()), letsIn('bound')))).toMatchObject({
      code: 'invalid_response',
    });
  });

  test('once it was, it stays so, whatever scheme the next challenge has', async () => {
    const { options, to } = world();
    const authorizer = oauth(options).authorizer(connectionTo());
    await enter(authorizer, wants);
    const headers = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="more"' };
    await enter(authorizer, (sent) =>
      sent['authorization'] === 'DPoP access-2' ? { status: 200 } : { status: 403, headers },
    );
    expect(to(TOKEN)[1]?.headers).toHaveProperty('dpop');
  });
});

describe('the key', () => {
  test('is kept with the token, and used by another process, also for the refresh', async () => {
    const { options, to } = world();
    const first = await enter(oauth(options).authorizer(connectionTo()), wants);
    const other = oauth(options).authorizer(connectionTo());
    const second = await enter(other, wants);
    expect(second.tries).toBe(0);
    const third = await enter(other, (sent) =>
      sent['authorization'] === 'DPoP access-2' ? { status: 200 } : refused('DPoP'),
    );
    const refresh = to(TOKEN)[1];
    expect(refresh?.fields['grant_type']).toBe('refresh_token');
    const keys = [first.sent, second.sent, refresh?.headers, third.sent].map(async (one) => (await proofIn(one)).key);
    expect(new Set(await Promise.all(keys)).size).toBe(1);
  });

  test('of a refresh is that of the refresh token, also if another process got it with another key', async () => {
    const { options, to } = world();
    const [one, other] = [oauth(options).authorizer(connectionTo()), oauth(options).authorizer(connectionTo())];
    await enter(one, wants);
    await enter(other, wants);
    // The other one has to sign in anew, and what it got is over before the first one looks.
    const headers = { 'www-authenticate': 'DPoP error="insufficient_scope", scope="more"' };
    const last = await enter(other, (sent) =>
      sent['authorization'] === 'DPoP access-2' ? { status: 200 } : { status: 403, headers },
    );
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3600_000 });
    await one.headers({ method: 'POST', url: new URL(MCP) });
    const refresh = to(TOKEN)[2];
    vi.useRealTimers();
    expect(refresh?.fields['refresh_token']).toBe('refresh-2');
    const keyIn = (proof = '') => decodeProtectedHeader(proof).jwk?.x;
    expect(keyIn(refresh?.headers['dpop'])).toBe(keyIn(last.sent['dpop']));
  });

  test('that cannot be read in the store leaves the token worth nothing: another is asked for', async () => {
    const { options, store, pages } = world();
    await enter(oauth(options).authorizer(connectionTo()), wants);
    const place = TOKENS_KEY;
    const kept = (await store.get(place)) as object;
    await store.set(place, { ...kept, dpopKey: { kty: 'EC', alg: 'ES256', d: 'nonsense' } });
    const { status } = await enter(oauth(options).authorizer(connectionTo()), (sent) =>
      sent['authorization'] === 'DPoP access-2' ? { status: 200 } : refused('DPoP'),
    );
    expect(status).toBe(200);
    expect(pages).toHaveLength(2);
  });

  test('is made for the algorithms of the authorization server', async () => {
    const { options, to } = world(authorizationServer(AS, { dpop_signing_alg_values_supported: ['ES384', 'ES512'] }));
    await enter(oauth({ ...options, dpop: true }).authorizer(connectionTo()), letsIn('access-1'));
    expect(decodeProtectedHeader(to(TOKEN)[0]?.headers['dpop'] ?? '').alg).toBe('ES384');
    const unknown = world(authorizationServer(AS, { dpop_signing_alg_values_supported: ['HS256'] }));
    const authorizer = oauth({ ...unknown.options, dpop: true }).authorizer(connectionTo());
    const error = await failureOf(enter(authorizer, letsIn()));
    expect(error).toMatchObject({ code: 'dpop_unsupported' });
    expect(error.message).toContain(METADATA);
    expect(unknown.pages).toEqual([]);
  });

  test('of an authorization that is completed later is the one it began with', async () => {
    const { options, pages, to } = world();
    const show = { ...options, dpop: true, authorize: async (page: URL) => void pages.push(page) };
    await failureOf(enter(oauth(show).authorizer(connectionTo()), letsIn('access-1')));
    const [page] = pages as [URL];
    await oauth(options).finish(callbackTo(page, { code: 'c' }));
    const { sent } = await enter(oauth(options).authorizer(connectionTo()), letsIn('access-1'));
    expect(sent['authorization']).toBe('DPoP access-1');
    expect((await proofIn(sent)).key).toBe((await proofIn(to(TOKEN)[0]?.headers)).key);
  });
});

const nonceIn = (headers: HeaderFields | undefined) => decodeJwt(headers?.['dpop'] ?? '')['nonce'];

describe('a nonce', () => {
  test('of the authorization server: asked again once, with it in the proof', async () => {
    const { options, to, pages } = world({
      [TOKEN]: (asked) =>
        nonceIn(asked.headers) === 'as-1'
          ? tokens(1, asked)
          : { status: 400, json: { error: 'use_dpop_nonce' }, headers: { 'dpop-nonce': 'as-1' } },
    });
    const authorizer = oauth({ ...options, dpop: true }).authorizer(connectionTo());
    expect(await enter(authorizer, letsIn('access-1'))).toMatchObject({ status: 200, tries: 1 });
    expect(to(TOKEN).map(({ headers }) => nonceIn(headers))).toEqual([undefined, 'as-1']);
    expect(new Set(to(TOKEN).map(({ fields }) => fields['code'])).size).toBe(1);
    expect(pages).toHaveLength(1);
  });

  test('that is never enough is an error after the second time', async () => {
    const { options, to } = world({
      [TOKEN]: { status: 400, json: { error: 'use_dpop_nonce' }, headers: { 'dpop-nonce': 'again' } },
    });
    const authorizer = oauth({ ...options, dpop: true }).authorizer(connectionTo());
    expect(await failureOf(enter(authorizer, letsIn()))).toMatchObject({ code: 'use_dpop_nonce' });
    expect(to(TOKEN)).toHaveLength(2);
  });

  test('of the server: the request is sent again with it, and no token is asked for', async () => {
    const { options, to } = world();
    const authorizer = oauth({ ...options, dpop: true }).authorizer(connectionTo());
    const again: Door = refused('DPoP error="use_dpop_nonce"', { 'dpop-nonce': 'rs-1' });
    const { tries, status } = await enter(authorizer, (sent) => {
      if (!sent['dpop']) return refused();
      return nonceIn(sent) === 'rs-1' ? { status: 200 } : again;
    });
    expect({ tries, status }).toEqual({ tries: 2, status: 200 });
    expect(to(TOKEN)).toHaveLength(1);
    // It is of that server only.
    expect(nonceIn(to(TOKEN)[0]?.headers)).toBeUndefined();
  });

  test('of an answer is used with the next request', async () => {
    const { options } = world();
    const authorizer = oauth({ ...options, dpop: true }).authorizer(connectionTo());
    const guard = vi.fn<Guard>((sent) =>
      sent['dpop'] ? { status: 200, headers: { 'dpop-nonce': 'next' } } : refused(),
    );
    await enter(authorizer, guard);
    const { sent } = await enter(authorizer, guard);
    expect(nonceIn(sent)).toBe('next');
    expect(nonceIn(guard.mock.calls[1]?.[0])).toBeUndefined();
  });

  test('that the server always has another of is given up after some tries', async () => {
    const { options, to } = world();
    const authorizer = oauth({ ...options, dpop: true }).authorizer(connectionTo());
    let nonces = 0;
    const { status, tries } = await enter(authorizer, (sent) =>
      sent['dpop'] ? refused('DPoP error="use_dpop_nonce"', { 'dpop-nonce': `n${++nonces}` }) : refused(),
    );
    expect({ status, tries }).toEqual({ status: 401, tries: 5 });
    expect(to(TOKEN)).toHaveLength(1);
  });
});

test('machines can have bound tokens too', async () => {
  const { fetch, to } = world();
  const auth: ClientAuth = clientCredentials({
    fetch,
    clientId: 'robot',
    clientSecret: 'sesame',
    issuer: AS,
    dpop: true,
  });
  const { sent } = await enter(auth.authorizer(connectionTo()), letsIn('access-1'));
  expect(sent['authorization']).toBe('DPoP access-1');
  expect(to(TOKEN)[0]?.headers['dpop']).toBeDefined();
  expect((await proofIn(sent)).key).toBe((await proofIn(to(TOKEN)[0]?.headers)).key);
});

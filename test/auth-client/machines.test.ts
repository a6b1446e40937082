/** Without a person: what each grant sends, exactly, and that nothing else is tried when it fails. */

import { decodeJwt, exportPKCS8, generateKeyPair, type JWTPayload, jwtVerify } from 'jose';
import { bearer, type ClientAuth, clientCredentials, enterpriseManaged, workloadIdentity } from 'mcpp/auth/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type Answer,
  AS,
  connectionTo,
  enter,
  failureOf,
  letsIn,
  MCP,
  METADATA,
  metadataOf,
  PRM,
  refused,
  resourceOf,
  tokens,
  tooLittle,
  world,
} from './world.ts';

const TOKEN = `POST ${AS}/token`;
const IDP = 'https://idp.example.com';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

afterEach(() => {
  vi.useRealTimers();
});

const withMethods = (...methods: string[]) => ({
  [`GET ${METADATA}`]: { json: metadataOf(AS, { token_endpoint_auth_methods_supported: methods }) },
});
const robot = { clientId: 'robot', clientSecret: 'sesame:open', issuer: AS };
const encoded = `Basic ${btoa('robot:sesame%3Aopen')}`;

describe('client credentials', () => {
  test('by a secret, in the header', async () => {
    const { fetch, asked } = world();
    const { sent } = await enter(clientCredentials({ fetch, ...robot }).authorizer(connectionTo()), letsIn('access-1'));
    expect(sent).toEqual({ authorization: 'Bearer access-1' });
    expect(asked.map(({ line }) => line)).toEqual([`GET ${PRM}`, `GET ${METADATA}`, TOKEN]);
    expect(asked[2]?.fields).toEqual({ grant_type: 'client_credentials', resource: MCP });
    expect(asked[2]?.headers).toEqual({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      authorization: encoded,
    });
  });

  test('by a secret, in the body, where the server takes only that', async () => {
    const { fetch, to } = world(withMethods('client_secret_post'));
    const auth = clientCredentials({ fetch, ...robot, scopes: ['a', 'b'] });
    await enter(auth.authorizer(connectionTo()), letsIn('access-1'));
    expect(to(TOKEN)[0]?.fields).toEqual({
      grant_type: 'client_credentials',
      scope: 'a b',
      resource: MCP,
      client_id: 'robot',
      client_secret: 'sesame:open',
    });
    expect(to(TOKEN)[0]?.headers).not.toHaveProperty('authorization');
  });

  test('by a key: another signature each time, for this issuer', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const { fetch, to } = world(withMethods('private_key_jwt'));
    const key = { key: await exportPKCS8(privateKey), alg: 'ES256', kid: 'k1' };
    const authorizer = clientCredentials({ fetch, clientId: 'robot', privateKey: key, issuer: AS }).authorizer(
      connectionTo(),
    );
    await enter(authorizer, letsIn('access-1'));
    const { client_assertion: assertion, ...rest } = to(TOKEN)[0]?.fields ?? {};
    expect(rest).toEqual({
      grant_type: 'client_credentials',
      resource: MCP,
      client_id: 'robot',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
    const { payload, protectedHeader } = await jwtVerify(String(assertion), publicKey);
    expect(protectedHeader).toMatchObject({ alg: 'ES256', kid: 'k1' });
    expect(payload).toMatchObject({ iss: 'robot', sub: 'robot', aud: AS, exp: expect.any(Number) });
    const step = (sent: object) =>
      'authorization' in sent && sent.authorization === 'Bearer access-2' ? { status: 200 } : tooLittle('more');
    await enter(authorizer, step);
    expect(decodeJwt<JWTPayload>(String(to(TOKEN)[1]?.fields['client_assertion'])).jti).not.toBe(payload.jti);
  });

  test('what has expired is asked for anew, and nothing else is tried', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { fetch, to } = world({
      [TOKEN]: (asked) => tokens(to(TOKEN).length, asked, { refresh_token: undefined }),
    });
    const authorizer = clientCredentials({ fetch, ...robot }).authorizer(connectionTo());
    await enter(authorizer, letsIn('access-1'));
    vi.setSystemTime(Date.now() + 3600_000);
    expect(await enter(authorizer, letsIn('access-2'))).toMatchObject({ status: 200, tries: 0 });
    expect(to(TOKEN).map(({ fields }) => fields['grant_type'])).toEqual(['client_credentials', 'client_credentials']);
  });

  test('what is about to expire is renewed meanwhile, by one request, and nobody has signed in', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { fetch, store, to } = world({
      [TOKEN]: (asked) => tokens(to(TOKEN).length, asked, { refresh_token: undefined }),
    });
    const connection = connectionTo();
    const authorizer = clientCredentials({ fetch, store, ...robot }).authorizer(connection);
    await enter(authorizer, letsIn('access-1'));
    vi.setSystemTime(Date.now() + 3580_000);
    for (let calls = 0; calls < 3; calls++) {
      expect(await enter(authorizer, letsIn('access-1'))).toMatchObject({ status: 200, tries: 0 });
    }
    await vi.waitFor(async () =>
      expect(await authorizer.headers({ method: 'POST', url: new URL(MCP) })).toEqual({
        authorization: 'Bearer access-2',
      }),
    );
    expect(to(TOKEN)).toHaveLength(2);
    expect(connection.signIns()).toBe(0);
  });

  test('a token is shared by those who share a store', async () => {
    const { fetch, store, to } = world();
    const one = clientCredentials({ fetch, store, ...robot }).authorizer(connectionTo());
    const other = clientCredentials({ fetch, store, ...robot }).authorizer(connectionTo());
    await Promise.all([enter(one, letsIn('access-1')), enter(other, letsIn('access-1'))]);
    expect(to(TOKEN)).toHaveLength(1);
  });
});

describe('enterprise-managed', () => {
  const exchanged: Answer = {
    json: { access_token: 'the-id-jag', issued_token_type: ID_JAG, token_type: 'N_A', expires_in: 300 },
  };
  const provider = { clientId: 'at-idp', clientSecret: 'idp-secret' };
  const options = { clientId: 'at-as', clientSecret: 'as-secret', issuer: AS, idToken: async () => 'the-id-token' };

  test('turns the login into a grant, and that into a token', async () => {
    const { fetch, asked } = world({
      [`GET ${PRM}`]: { json: resourceOf([AS], { scopes_supported: ['read'] }) },
      [`GET ${IDP}/.well-known/oauth-authorization-server`]: { json: metadataOf(IDP) },
      [`POST ${IDP}/token`]: exchanged,
    });
    const auth = enterpriseManaged({ fetch, ...options, identityProvider: { issuer: IDP, ...provider } });
    const { sent } = await enter(auth.authorizer(connectionTo()), letsIn('access-1'));
    expect(sent).toEqual({ authorization: 'Bearer access-1' });
    const [, , , exchange, token, ...more] = asked;
    expect(asked.map(({ line }) => line)).toEqual([
      `GET ${PRM}`,
      `GET ${METADATA}`,
      `GET ${IDP}/.well-known/oauth-authorization-server`,
      `POST ${IDP}/token`,
      TOKEN,
    ]);
    expect(exchange?.fields).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: ID_JAG,
      audience: AS,
      resource: MCP,
      scope: 'read',
      subject_token: 'the-id-token',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    });
    expect(exchange?.headers['authorization']).toBe(`Basic ${btoa('at-idp:idp-secret')}`);
    expect(token?.fields).toEqual({ grant_type: JWT_BEARER, assertion: 'the-id-jag', scope: 'read', resource: MCP });
    expect(token?.headers['authorization']).toBe(`Basic ${btoa('at-as:as-secret')}`);
    expect(more).toEqual([]);
  });

  test('needs no metadata of an identity provider whose token endpoint is known', async () => {
    const tokenEndpoint = `${IDP}/oauth2/token`;
    const { fetch, lines } = world({ [`POST ${tokenEndpoint}`]: exchanged });
    const auth = enterpriseManaged({ fetch, ...options, identityProvider: { tokenEndpoint, ...provider } });
    await enter(auth.authorizer(connectionTo()), letsIn('access-1'));
    expect(lines()).toEqual([`GET ${PRM}`, `GET ${METADATA}`, `POST ${tokenEndpoint}`, TOKEN]);
  });

  test('whom the identity provider refuses is refused, and no other way is tried', async () => {
    const denied = { status: 400, json: { error: 'access_denied' } };
    const { fetch, lines } = world({ [`POST ${IDP}/token`]: denied });
    const identityProvider = { tokenEndpoint: `${IDP}/token`, ...provider };
    const auth = enterpriseManaged({ fetch, ...options, identityProvider });
    const error = await failureOf(enter(auth.authorizer(connectionTo()), letsIn()));
    expect(error).toMatchObject({ code: 'access_denied' });
    expect(error.message).toContain(`${IDP}/token`);
    expect(lines().at(-1)).toBe(`POST ${IDP}/token`);
    expect(lines().filter((line) => line.startsWith('POST'))).toHaveLength(1);
  });

  test('what is no grant of this kind is not passed on', async () => {
    const loose = {
      json: {
        access_token: 'x',
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
      },
    };
    const { fetch, to } = world({ [`POST ${IDP}/token`]: loose });
    const auth = enterpriseManaged({
      fetch,
      ...options,
      identityProvider: { tokenEndpoint: `${IDP}/token`, ...provider },
    });
    expect(await failureOf(enter(auth.authorizer(connectionTo()), letsIn()))).toMatchObject({
      code: 'invalid_response',
    });
    expect(to(TOKEN)).toEqual([]);
  });

  test('nobody is asked with a login that is none', async () => {
    const { fetch, lines } = world({ [`POST ${IDP}/token`]: exchanged });
    const identityProvider = { tokenEndpoint: `${IDP}/token`, ...provider };
    const auth = enterpriseManaged({ fetch, ...options, identityProvider, idToken: () => '' });
    await expect(enter(auth.authorizer(connectionTo()), letsIn())).rejects.toThrow('"idToken"');
    expect(lines().filter((line) => line.startsWith('POST'))).toEqual([]);
  });
});

describe('workload identity', () => {
  test('takes what the platform says there, each time anew', async () => {
    const { fetch, asked, to } = world();
    let renewals = 0;
    const auth = workloadIdentity({
      fetch,
      clientId: 'job',
      issuer: AS,
      scopes: ['run'],
      assertion: () => `jwt-${++renewals}`,
    });
    const authorizer = auth.authorizer(connectionTo());
    await enter(authorizer, letsIn('access-1'));
    expect(asked.map(({ line }) => line)).toEqual([`GET ${PRM}`, `GET ${METADATA}`, TOKEN]);
    expect(asked[2]?.fields).toEqual({
      grant_type: JWT_BEARER,
      assertion: 'jwt-1',
      scope: 'run',
      client_id: 'job',
      resource: MCP,
    });
    expect(asked[2]?.headers).not.toHaveProperty('authorization');
    await enter(authorizer, (sent) =>
      sent['authorization'] === 'Bearer access-2' ? { status: 200 } : tooLittle('more'),
    );
    expect(to(TOKEN)[1]?.fields).toMatchObject({ assertion: 'jwt-2', scope: 'run more' });
  });

  test('is not asked with an assertion that is none', async () => {
    const { fetch, to } = world();
    const auth = workloadIdentity({
      fetch,
      clientId: 'job',
      issuer: AS,
      assertion: async () => undefined as unknown as string,
    });
    await expect(enter(auth.authorizer(connectionTo()), letsIn())).rejects.toThrow('"assertion"');
    expect(to(TOKEN)).toEqual([]);
  });
});

describe('a failure', () => {
  const machines: readonly (readonly [string, (fetch: typeof globalThis.fetch) => ClientAuth])[] = [
    ['client credentials', (fetch) => clientCredentials({ fetch, ...robot })],
    ['workload identity', (fetch) => workloadIdentity({ fetch, clientId: 'job', issuer: AS, assertion: () => 'jwt' })],
  ];

  test.each(machines)('of %s is one request, and no other grant', async (_name, make) => {
    for (const [status, error] of [
      [401, 'invalid_client'],
      [400, 'invalid_grant'],
      [400, 'unauthorized_client'],
      [503, 'temporarily_unavailable'],
    ] as const) {
      const { fetch, lines } = world({ [TOKEN]: { status, json: { error } } });
      const failure = await failureOf(enter(make(fetch).authorizer(connectionTo()), letsIn()));
      expect(failure).toMatchObject({ code: error, isRetryable: status === 503 });
      expect(lines()).toEqual([`GET ${PRM}`, `GET ${METADATA}`, TOKEN]);
    }
  });

  test.each(machines)('of %s to get in with its token is told, without another try', async (_name, make) => {
    const { fetch, to } = world();
    expect(await failureOf(enter(make(fetch).authorizer(connectionTo()), letsIn()))).toMatchObject({
      code: 'invalid_token',
    });
    expect(to(TOKEN)).toHaveLength(1);
  });
});

describe('bearer', () => {
  test('sends a token with every request, and nothing is asked of anybody', async () => {
    const authorizer = bearer('abc.def-_~+/==').authorizer(connectionTo());
    expect(authorizer.headers({ method: 'POST', url: new URL(MCP) })).toEqual({
      authorization: 'Bearer abc.def-_~+/==',
    });
  });

  test('asks a function each time, and once more if the server refuses', async () => {
    const made = ['old', 'new', 'newer'];
    const authorizer = bearer(async () => made.shift() ?? 'none').authorizer(connectionTo());
    expect(await enter(authorizer, letsIn('new'))).toMatchObject({ status: 200, tries: 1 });
    const error = await failureOf(enter(authorizer, letsIn('never')));
    expect(error).toMatchObject({ code: 'invalid_token', isRetryable: false });
    expect(made).toEqual([]);
  });

  test('a refusal says what the server said', async () => {
    const authorizer = bearer('abc').authorizer(connectionTo());
    expect(await failureOf(enter(authorizer, () => refused('Bearer error="invalid_token"')))).toMatchObject({
      code: 'invalid_token',
      challenge: { scheme: 'bearer', error: 'invalid_token' },
    });
    const scope = await failureOf(enter(authorizer, () => tooLittle('files:write')));
    expect(scope).toMatchObject({ code: 'insufficient_scope', challenge: { scopes: ['files:write'] } });
    expect(scope.message).toContain('files:write');
    expect(await failureOf(enter(authorizer, () => ({ status: 403 })))).toMatchObject({ code: 'access_denied' });
  });

  test.each(['', 'Bearer abc', 'a b', 'a\nb', 'ü'])('%j is no token', async (token) => {
    expect(() => bearer(token)).toThrow(TypeError);
    const later = bearer(() => token).authorizer(connectionTo());
    await expect(enter(later, letsIn())).rejects.toThrow(TypeError);
  });
});

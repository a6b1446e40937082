/** Servers that change their authorization server, or name a wrong one: nothing of one goes to another. */

import { type ClientAuth, clientCredentials, oauth } from 'mcpp/auth/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  AS,
  authorizationServer,
  callbackTo,
  connectionTo,
  enter,
  failureOf,
  letsIn,
  MCP,
  METADATA,
  metadataOf,
  PRM,
  ROOT_PRM,
  resourceOf,
  type Table,
  tokens,
  type World,
  world,
} from './world.ts';

const NEW = 'https://new.example.com';
const moved = (): Table => ({ [`GET ${PRM}`]: { json: resourceOf([NEW]) }, ...authorizationServer(NEW) });

afterEach(() => {
  vi.useRealTimers();
});

describe('a server that moves to another authorization server', () => {
  const secret = { client_id: 'old-id', client_secret: 'old-secret', token_endpoint_auth_method: 'client_secret_post' };

  test('gets a new registration and new tokens there, and nothing of the first goes along', async () => {
    const { options, asked, change, pages } = world({
      [`GET ${METADATA}`]: { json: metadataOf(AS, { token_endpoint_auth_methods_supported: ['client_secret_post'] }) },
      [`POST ${AS}/register`]: { status: 201, json: secret },
    });
    const authorizer = oauth(options).authorizer(connectionTo());
    await enter(authorizer, letsIn('access-1'));
    change(moved());
    asked.length = 0;
    expect(await enter(authorizer, letsIn('access-new.example.com-1'))).toMatchObject({ status: 200, tries: 1 });
    expect(asked.map(({ line }) => line)).toEqual([
      `GET ${PRM}`,
      `GET ${NEW}/.well-known/oauth-authorization-server`,
      `POST ${NEW}/register`,
      `POST ${NEW}/token`,
    ]);
    const all = JSON.stringify([asked, pages[1]]);
    for (const old of ['old-id', 'old-secret', 'access-1', 'refresh-1', 'code-1']) expect(all).not.toContain(`"${old}`);
    expect(`${pages[1]?.origin}`).toBe(NEW);
    expect(pages[1]?.searchParams.get('client_id')).toBe('new.example.com-client-1');
  });

  test('and back again finds what was registered there before', async () => {
    const { options, change, to } = world();
    const authorizer = oauth(options).authorizer(connectionTo());
    await enter(authorizer, letsIn('access-1'));
    change(moved());
    await enter(authorizer, letsIn('access-new.example.com-1'));
    change({ [`GET ${PRM}`]: { json: resourceOf() } });
    await enter(authorizer, letsIn('access-2'));
    expect(to(`POST ${AS}/register`)).toHaveLength(1);
  });

  test('a client that was registered beforehand is an error there, and nothing is sent', async () => {
    const { options, asked, change, pages } = world();
    const authorizer = oauth({ ...options, clientId: 'mine' }).authorizer(connectionTo());
    await enter(authorizer, letsIn('access-1'));
    change(moved());
    asked.length = 0;
    const error = await failureOf(enter(authorizer, letsIn('never')));
    expect(error).toMatchObject({ code: 'issuer_mismatch', isRetryable: false });
    for (const named of [AS, NEW, 'issuer', PRM]) expect(error.message).toContain(named);
    expect(asked.map(({ line }) => line)).toEqual([`GET ${PRM}`]);
    expect(pages).toHaveLength(1);
  });

  test.each<[string, (world: World) => ClientAuth]>([
    ['a person', ({ options }) => oauth({ ...options, clientId: 'mine', clientSecret: 'sesame', issuer: NEW })],
    [
      'a machine',
      ({ fetch, store }) => clientCredentials({ fetch, store, clientId: 'mine', clientSecret: 'sesame', issuer: NEW }),
    ],
  ])('a secret that was configured for the new one never goes to the old one, for %s', async (_name, make) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const given = world();
    const { options, change, asked } = given;
    await enter(oauth({ ...options, clientId: 'mine' }).authorizer(connectionTo()), letsIn('access-1'));
    change(moved());
    asked.length = 0;
    vi.setSystemTime(Date.now() + 3600_000);
    expect(await enter(make(given).authorizer(connectionTo()), letsIn('access-new.example.com-1'))).toMatchObject({
      status: 200,
    });
    expect(asked.filter(({ line }) => line.startsWith(`POST ${AS}`))).toEqual([]);
  });

  test('a client metadata document goes along, since it belongs to nobody', async () => {
    const supported = { client_id_metadata_document_supported: true };
    const { options, change, pages } = world({ [`GET ${METADATA}`]: { json: metadataOf(AS, supported) } });
    const clientMetadataUrl = 'https://app.example.com/client.json';
    const authorizer = oauth({ ...options, clientMetadataUrl }).authorizer(connectionTo());
    await enter(authorizer, letsIn('access-1'));
    change({
      ...moved(),
      [`GET ${NEW}/.well-known/oauth-authorization-server`]: { json: metadataOf(NEW, supported) },
    });
    await enter(authorizer, letsIn('access-new.example.com-1'));
    expect(pages.map((page) => page.searchParams.get('client_id'))).toEqual([clientMetadataUrl, clientMetadataUrl]);
  });
});

describe('a configured issuer', () => {
  test('that the server does not name: nothing is sent to anybody', async () => {
    const { options, lines } = world();
    const auth = oauth({ ...options, clientId: 'mine', clientSecret: 'sesame', issuer: 'https://mine.example.com' });
    const error = await failureOf(enter(auth.authorizer(connectionTo()), letsIn('never')));
    expect(error).toMatchObject({ code: 'issuer_mismatch' });
    expect(error.message).toContain('https://mine.example.com');
    expect(lines()).toEqual([`GET ${PRM}`]);
  });

  test('is compared by letter: a slash makes another', async () => {
    const { options, lines } = world();
    const auth = oauth({ ...options, clientId: 'mine', issuer: `${AS}/` });
    expect(await failureOf(enter(auth.authorizer(connectionTo()), letsIn('never')))).toMatchObject({
      code: 'issuer_mismatch',
    });
    expect(lines()).toEqual([`GET ${PRM}`]);
  });

  test('is taken among several, and else the first that can be found', async () => {
    const { options, lines } = world({ [`GET ${PRM}`]: { json: resourceOf([NEW, AS]) }, ...authorizationServer(NEW) });
    await enter(oauth({ ...options, issuer: AS }).authorizer(connectionTo()), letsIn('access-1'));
    expect(lines().some((line) => line.includes(NEW))).toBe(false);

    const other = world({ [`GET ${PRM}`]: { json: resourceOf([NEW, AS]) } });
    await enter(oauth(other.options).authorizer(connectionTo()), letsIn('access-1'));
    expect(other.to(`GET ${NEW}/.well-known/oauth-authorization-server`)).toHaveLength(1);
  });

  test('that was used before is used again among several', async () => {
    const { options, change, lines } = world();
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-1'));
    change({ ...moved(), [`GET ${PRM}`]: { json: resourceOf([NEW, AS]) } });
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-2'));
    expect(lines().some((line) => line.includes(NEW))).toBe(false);
  });

  test('"discovered" is whichever the server names', async () => {
    const { options, to } = world(moved());
    const auth = oauth({ ...options, clientId: 'mine', clientSecret: 'sesame', issuer: 'discovered' });
    await enter(auth.authorizer(connectionTo()), letsIn('access-new.example.com-1'));
    expect(to(`POST ${NEW}/token`)[0]?.headers['authorization']).toBe(`Basic ${btoa('mine:sesame')}`);
  });

  test('metadata that is of another issuer is refused', async () => {
    const { options, lines } = world({ [`GET ${METADATA}`]: { json: metadataOf('https://evil.example.com') } });
    const error = await failureOf(enter(oauth(options).authorizer(connectionTo()), letsIn('never')));
    expect(error).toMatchObject({ code: 'issuer_mismatch' });
    expect(lines()).toEqual([`GET ${PRM}`, `GET ${METADATA}`]);
  });
});

describe('a server without protected resource metadata', () => {
  const none: Table = { [`GET ${PRM}`]: { status: 404 }, [`GET ${ROOT_PRM}`]: { status: 404 } };
  const ORIGIN = 'https://mcp.example.com';
  const LOOKED = [`GET ${PRM}`, `GET ${ROOT_PRM}`];
  const OWN_METADATA = [
    `GET ${ORIGIN}/.well-known/oauth-authorization-server`,
    `GET ${ORIGIN}/.well-known/openid-configuration`,
  ];
  const endpoints: Table = {
    [`POST ${ORIGIN}/register`]: { status: 201, json: { client_id: 'own' } },
    [`POST ${ORIGIN}/token`]: (asked) => tokens(asked.fields['refresh_token'] ? 'own-2' : 'own', asked),
  };

  test('is its own authorization server, as in 2025-03-26', async () => {
    const { options, lines, pages, to } = world(none, endpoints);
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-own'));
    expect(lines()).toEqual([...LOOKED, ...OWN_METADATA, `POST ${ORIGIN}/register`, `POST ${ORIGIN}/token`]);
    expect(`${pages[0]?.origin}${pages[0]?.pathname}`).toBe(`${ORIGIN}/authorize`);
    expect(to(`POST ${ORIGIN}/token`)[0]?.fields['resource']).toBe(MCP);
  });

  test('may show a page in its place, as it does wherever one looks', async () => {
    const page = { text: '<html>', headers: { 'content-type': 'text/html; charset=utf-8' } };
    const everywhere = [`GET ${PRM}`, `GET ${ROOT_PRM}`, ...OWN_METADATA].map((line) => [line, page]);
    const { options, lines } = world(Object.fromEntries(everywhere), endpoints);
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-own'));
    expect(lines()).toEqual([...LOOKED, ...OWN_METADATA, `POST ${ORIGIN}/register`, `POST ${ORIGIN}/token`]);
  });

  test('may say where its endpoints are', async () => {
    const metadata = metadataOf(ORIGIN, { token_endpoint: `${ORIGIN}/oauth/token` });
    const { options, lines } = world(none, endpoints, {
      [OWN_METADATA[0] ?? '']: { json: metadata },
      [`POST ${ORIGIN}/oauth/token`]: (asked) => tokens('own', asked),
    });
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-own'));
    expect(lines().slice(2)).toEqual([OWN_METADATA[0], `POST ${ORIGIN}/register`, `POST ${ORIGIN}/oauth/token`]);
  });

  test('gets its tokens refreshed in another process too, before they expire', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { options, pages } = world(none, endpoints);
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-own'));
    vi.setSystemTime(Date.now() + 3600_000);
    const { tries } = await enter(oauth(options).authorizer(connectionTo()), letsIn('access-own-2'));
    expect(tries).toBe(0);
    expect(pages).toHaveLength(1);
  });

  test('can be signed in to by somebody who comes back later', async () => {
    const { options, pages } = world(none, endpoints);
    const show = { ...options, authorize: async (page: URL) => void pages.push(page) };
    const authorizer = oauth(show).authorizer(connectionTo());
    await failureOf(enter(authorizer, letsIn('access-own')));
    await oauth(options).finish(callbackTo(pages[0] as URL, { code: 'c' }));
    expect(await enter(authorizer, letsIn('access-own'))).toMatchObject({ status: 200, tries: 0 });
  });

  test('gets nothing of a client that was registered beforehand, nobody knows where', async () => {
    const { options, lines } = world(none, endpoints);
    const auth = oauth({ ...options, clientId: 'mine' });
    const error = await failureOf(enter(auth.authorizer(connectionTo()), letsIn('never')));
    expect(error).toMatchObject({ code: 'issuer_unknown' });
    expect(error.message).toContain('"issuer"');
    expect(lines()).toEqual(LOOKED);

    const secret = { clientId: 'mine', clientSecret: 'sesame', issuer: 'discovered' };
    const machine = clientCredentials({ fetch: options.fetch, ...secret });
    expect(await failureOf(enter(machine.authorizer(connectionTo()), letsIn('never')))).toMatchObject({
      code: 'issuer_unknown',
    });
    expect(lines().some((line) => line.startsWith('POST'))).toBe(false);
  });

  test('is not taken for one if an issuer is configured, or was used before', async () => {
    const configured = world(none, endpoints);
    await enter(oauth({ ...configured.options, issuer: AS }).authorizer(connectionTo()), letsIn('access-1'));
    expect(configured.lines()).toEqual([...LOOKED, `GET ${METADATA}`, `POST ${AS}/register`, `POST ${AS}/token`]);

    const { options, change, asked } = world();
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-1'));
    change({ ...none, ...endpoints });
    asked.length = 0;
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-2'));
    expect(asked.map(({ line }) => line)).toEqual([...LOOKED, `GET ${METADATA}`, `POST ${AS}/token`]);
  });

  test.each<[string, Table, string, boolean]>([
    ['fails', { [`GET ${PRM}`]: { status: 500 } }, 'unexpected_status', true],
    ['is busy', { [`GET ${PRM}`]: { status: 429 } }, 'unexpected_status', true],
    ['is no JSON', { [`GET ${PRM}`]: { text: 'Hello', headers: { 'content-type': 'text/plain' } } }, 'not_json', false],
    ['names nobody', { [`GET ${PRM}`]: { json: resourceOf([]) } }, 'invalid_response', false],
    [
      'is about something else',
      { [`GET ${PRM}`]: { json: resourceOf([AS], { resource: 'https://other.example.com/mcp' }) } },
      'resource_mismatch',
      false,
    ],
  ])('but a server whose metadata %s has some, and there is no fallback', async (_name, table, code, isRetryable) => {
    const { options, lines } = world(none, endpoints, table);
    const error = await failureOf(enter(oauth(options).authorizer(connectionTo()), letsIn('never')));
    expect(error).toMatchObject({ code, isRetryable });
    expect(error.message).toContain(PRM);
    expect(lines()).toEqual([`GET ${PRM}`]);
  });

  test('that names some nevertheless is in error', async () => {
    const { options, lines } = world(none, endpoints);
    const named = `${ORIGIN}/gone`;
    const headers = { 'www-authenticate': `Bearer resource_metadata="${named}"` };
    const error = await failureOf(enter(oauth(options).authorizer(connectionTo()), () => ({ status: 401, headers })));
    expect(error).toMatchObject({ code: 'invalid_metadata' });
    expect(lines()).toEqual([`GET ${named}`]);
  });
});

test('an authorization server without metadata is an error that says where it was looked for', async () => {
  const { options, pages } = world({ [`GET ${METADATA}`]: { status: 404 } });
  const error = await failureOf(enter(oauth(options).authorizer(connectionTo()), letsIn('never')));
  expect(error).toMatchObject({ code: 'invalid_metadata' });
  expect(error.trace.map(({ url, status }) => `${url} ${status}`)).toEqual([
    `${PRM} 200`,
    `${METADATA} 404`,
    `${AS}/.well-known/openid-configuration 404`,
  ]);
  expect(pages).toEqual([]);
});

test('one that registers nobody is an error that says what to do', async () => {
  const { options, pages } = world({
    [`GET ${METADATA}`]: { json: metadataOf(AS, { registration_endpoint: undefined }) },
  });
  const error = await failureOf(enter(oauth(options).authorizer(connectionTo()), letsIn('never')));
  expect(error).toMatchObject({ code: 'registration_unsupported' });
  expect(error.message).toContain('"clientId"');
  expect(pages).toEqual([]);
  const refusing = world({ [`POST ${AS}/register`]: { status: 403, json: { error: 'access_denied' } } });
  expect(await failureOf(enter(oauth(refusing.options).authorizer(connectionTo()), letsIn('never')))).toMatchObject({
    code: 'access_denied',
  });
});

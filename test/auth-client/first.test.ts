/** From the first 401 to the token: what is asked, of whom, and in which order. */

import { oauth } from 'mcpp/auth/client';
import { describe, expect, test } from 'vitest';
import {
  AS,
  connectionTo,
  enter,
  failureOf,
  letsIn,
  MCP,
  METADATA,
  metadataOf,
  PRM,
  REDIRECT,
  ROOT_PRM,
  refused,
  resourceOf,
  world,
} from './world.ts';

const REGISTER = `POST ${AS}/register`;
const TOKEN = `POST ${AS}/token`;

describe('the first 401', () => {
  test('leads to these requests in this order, and the same request is let in', async () => {
    const { options, asked, pages } = world({
      [`GET ${METADATA}`]: { json: metadataOf(AS, { scopes_supported: ['a'] }) },
    });
    const authorizer = oauth({ ...options, clientName: 'Notes', clientUri: 'https://app.example.com' }).authorizer(
      connectionTo(),
    );
    const { status, sent, tries } = await enter(authorizer, letsIn('access-1'));
    expect({ status, sent, tries }).toEqual({ status: 200, sent: { authorization: 'Bearer access-1' }, tries: 1 });

    const [resource, server, registration, token, ...more] = asked;
    expect(resource).toMatchObject({ line: `GET ${PRM}`, headers: { accept: 'application/json' }, body: '' });
    expect(server).toMatchObject({ line: `GET ${METADATA}`, headers: { accept: 'application/json' }, body: '' });
    expect(registration?.line).toBe(REGISTER);
    expect(registration?.fields).toEqual({
      client_name: 'Notes',
      client_uri: 'https://app.example.com',
      redirect_uris: [REDIRECT],
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    const [page] = pages;
    expect(`${page?.origin}${page?.pathname}`).toBe(`${AS}/authorize`);
    const { state, code_challenge, ...parameters } = Object.fromEntries(page?.searchParams ?? []);
    expect(parameters).toEqual({
      response_type: 'code',
      client_id: 'client-1',
      redirect_uri: REDIRECT,
      code_challenge_method: 'S256',
      resource: MCP,
    });
    expect(state).toMatch(/^[\w-]{43}$/);
    expect(code_challenge).toMatch(/^[\w-]{43}$/);
    expect(token?.line).toBe(TOKEN);
    expect(token?.fields).toEqual({
      grant_type: 'authorization_code',
      code: 'code-1',
      redirect_uri: REDIRECT,
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      client_id: 'client-1',
      resource: MCP,
    });
    expect(await s256(String(token?.fields['code_verifier']))).toBe(code_challenge);
    expect(more).toEqual([]);
  });

  test('names the metadata, which then is looked for nowhere else', async () => {
    const named = 'https://mcp.example.com/custom/metadata?v=1';
    const { options, lines } = world({
      'GET https://mcp.example.com/custom/metadata': { json: resourceOf([AS]) },
      [`GET ${PRM}`]: undefined,
    });
    const guard = letsIn('access-1');
    await enter(oauth(options).authorizer(connectionTo()), (sent) =>
      guard(sent).status === 200 ? { status: 200 } : refused(`Bearer resource_metadata="${named}"`),
    );
    expect(lines()).toEqual([`GET ${named}`, `GET ${METADATA}`, REGISTER, TOKEN]);
  });

  test('without a path of its own the metadata may be at the root', async () => {
    const { options, lines } = world({
      [`GET ${PRM}`]: { status: 404 },
      [`GET ${ROOT_PRM}`]: { json: resourceOf([AS], { resource: 'https://mcp.example.com' }) },
    });
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-1'));
    expect(lines()).toEqual([`GET ${PRM}`, `GET ${ROOT_PRM}`, `GET ${METADATA}`, REGISTER, TOKEN]);
  });

  test('an issuer with a path is looked for in three places', async () => {
    const issuer = `${AS}/tenant`;
    const { options, lines } = world({
      [`GET ${PRM}`]: { json: resourceOf([issuer]) },
      [`GET ${AS}/tenant/.well-known/openid-configuration`]: { json: metadataOf(issuer) },
      [`POST ${issuer}/register`]: { status: 201, json: { client_id: 'c' } },
      [`POST ${issuer}/token`]: { json: { access_token: 'access-1', token_type: 'bearer' } },
    });
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-1'));
    expect(lines().slice(1, 4)).toEqual([
      `GET ${AS}/.well-known/oauth-authorization-server/tenant`,
      `GET ${AS}/.well-known/openid-configuration/tenant`,
      `GET ${AS}/tenant/.well-known/openid-configuration`,
    ]);
  });

  test('the resource is as the server spells it, in the page and in every request for tokens', async () => {
    const resource = 'https://mcp.example.com/';
    const { options, pages, to } = world({ [`GET ${PRM}`]: { json: resourceOf([AS], { resource }) } });
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-1'));
    expect(pages[0]?.searchParams.get('resource')).toBe(resource);
    expect(to(TOKEN)[0]?.fields['resource']).toBe(resource);
  });
});

describe('scopes', () => {
  const asked = async (options: { scopes?: string[] }, challenge: string, prm: object, as: object = {}) => {
    const {
      options: base,
      pages,
      to,
    } = world({
      [`GET ${PRM}`]: { json: resourceOf([AS], prm) },
      [`GET ${METADATA}`]: { json: metadataOf(AS, as) },
    });
    const guard = letsIn('access-1');
    await enter(oauth({ ...base, ...options }).authorizer(connectionTo()), (sent) =>
      guard(sent).status === 200 ? { status: 200 } : refused(challenge),
    );
    // What is needed later may be more, and what the resource calls its scopes may be unknown where clients register.
    expect(to(REGISTER)[0]?.fields).not.toHaveProperty('scope');
    return pages[0]?.searchParams.get('scope') ?? undefined;
  };

  test('are those of the challenge, else those the resource lists, else none', async () => {
    expect(await asked({}, 'Bearer scope="a b"', { scopes_supported: ['c'] })).toBe('a b');
    expect(await asked({}, 'Bearer', { scopes_supported: ['c', 'd'] })).toBe('c d');
    expect(await asked({}, 'Bearer', {})).toBeUndefined();
  });

  test('of the application come first, and those of the challenge are added', async () => {
    expect(await asked({ scopes: ['mine'] }, 'Bearer scope="a mine"', { scopes_supported: ['c'] })).toBe('mine a');
  });

  test('have offline_access if the authorization server lists it', async () => {
    expect(await asked({}, 'Bearer scope="a"', {}, { scopes_supported: ['offline_access'] })).toBe('a offline_access');
  });
});

describe('the client', () => {
  test('is registered once for one redirect URI, by whoever shares the store', async () => {
    const { options, to, pages } = world();
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-1'));
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-3'));
    expect(to(REGISTER)).toHaveLength(1);
    expect(pages.map((page) => page.searchParams.get('client_id'))).toEqual(['client-1', 'client-1']);
  });

  test('is registered anew for another redirect URI', async () => {
    const { options, to, pages } = world();
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-1'));
    const redirectUri = 'https://app.example.com/callback';
    await enter(oauth({ ...options, redirectUri }).authorizer(connectionTo()), letsIn('access-3'));
    expect(to(REGISTER).map(({ fields }) => [fields['redirect_uris'], fields['application_type']])).toEqual([
      [[REDIRECT], 'native'],
      [[redirectUri], 'web'],
    ]);
    expect(pages.map((page) => page.searchParams.get('client_id'))).toEqual(['client-1', 'client-2']);
  });

  test('that was registered for a redirect URI earlier is found again, and its tokens can still be refreshed', async () => {
    const OTHER = 'https://other.example.com/mcp';
    const { options, to, pages } = world({
      'GET https://other.example.com/.well-known/oauth-protected-resource/mcp': {
        json: resourceOf([AS], { resource: OTHER }),
      },
    });
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-1'));
    // Another server has the same authorization server, and the port of before is taken.
    const elsewhere = { ...options, redirectUri: 'http://127.0.0.1:8888/callback' };
    await enter(oauth(elsewhere).authorizer(connectionTo(OTHER)), letsIn('access-2'), new URL(OTHER));
    await enter(oauth(elsewhere).authorizer(connectionTo()), letsIn('access-3'));
    expect(to(TOKEN).map(({ fields }) => [fields['grant_type'], fields['client_id']])).toEqual([
      ['authorization_code', 'client-1'],
      ['authorization_code', 'client-2'],
      ['refresh_token', 'client-1'],
    ]);
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-5'));
    expect(pages.map((page) => page.searchParams.get('client_id'))).toEqual(['client-1', 'client-2', 'client-1']);
    expect(to(REGISTER)).toHaveLength(2);
  });

  test('is registered anew when its secret has expired', async () => {
    const expired = { client_id: 'old', client_secret: 's', client_secret_expires_at: 1 };
    const answers = [expired, { client_id: 'new', client_secret: 's', client_secret_expires_at: 0 }];
    const { options, pages } = world({ [REGISTER]: () => ({ status: 201, json: answers.shift() }) });
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-1'));
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-3'));
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-5'));
    expect(pages.map((page) => page.searchParams.get('client_id'))).toEqual(['old', 'new', 'new']);
  });

  test('that the authorization server does not know any more is registered anew the next time', async () => {
    const { options, pages } = world({
      [TOKEN]: ({ fields }) =>
        fields['client_id'] === 'client-1'
          ? { status: 401, json: { error: 'invalid_client' } }
          : { json: { access_token: 'access-1', token_type: 'Bearer' } },
    });
    const auth = oauth(options);
    expect(await failureOf(enter(auth.authorizer(connectionTo()), letsIn()))).toMatchObject({ code: 'invalid_client' });
    expect(await enter(auth.authorizer(connectionTo()), letsIn('access-1'))).toMatchObject({ status: 200 });
    expect(pages.map((page) => page.searchParams.get('client_id'))).toEqual(['client-1', 'client-2']);
  });

  test('that was registered beforehand, or has a metadata document, is not registered', async () => {
    const clientMetadataUrl = 'https://app.example.com/client.json';
    const supported = { client_id_metadata_document_supported: true };
    for (const [option, id] of [
      [{ clientId: 'known', clientMetadataUrl }, 'known'],
      [{ clientMetadataUrl }, clientMetadataUrl],
    ] as const) {
      const { options, lines, pages, to } = world({ [`GET ${METADATA}`]: { json: metadataOf(AS, supported) } });
      await enter(oauth({ ...options, ...option }).authorizer(connectionTo()), letsIn('access-1'));
      expect(lines()).toEqual([`GET ${PRM}`, `GET ${METADATA}`, TOKEN]);
      expect(pages[0]?.searchParams.get('client_id')).toBe(id);
      expect(to(TOKEN)[0]?.fields['client_id']).toBe(id);
    }
  });

  test('is registered where its metadata document is not taken', async () => {
    const { options, to } = world();
    const clientMetadataUrl = 'https://app.example.com/client.json';
    await enter(oauth({ ...options, clientMetadataUrl }).authorizer(connectionTo()), letsIn('access-1'));
    expect(to(REGISTER)).toHaveLength(1);
  });

  test('a secret that registration gave is used as it said', async () => {
    const registered = { client_id: 'c', client_secret: 's', token_endpoint_auth_method: 'client_secret_basic' };
    const { options, to } = world({
      [`GET ${METADATA}`]: { json: metadataOf(AS, { token_endpoint_auth_methods_supported: ['client_secret_basic'] }) },
      [REGISTER]: { status: 201, json: registered },
    });
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-1'));
    expect(to(REGISTER)[0]?.fields['token_endpoint_auth_method']).toBe('client_secret_basic');
    expect(to(TOKEN)[0]?.headers['authorization']).toBe(`Basic ${btoa('c:s')}`);
    expect(to(TOKEN)[0]?.fields).not.toHaveProperty('client_secret');
  });
});

test('nothing but these header fields reaches the authorization server', async () => {
  const { options, asked } = world();
  const { headers, onChallenge: challenged } = oauth(options).authorizer(connectionTo());
  const url = new URL(MCP);
  // What a connection sends by itself, with fields of its user's, is seen by nobody here.
  const sent = { 'x-api-key': 'k', cookie: 'c', authorization: 'Basic other' };
  const header = (): undefined => undefined;
  expect(await challenged({ method: 'POST', url, status: 401, header, sent, tries: 0 })).toBe(true);
  expect(await headers({ method: 'POST', url })).toEqual({ authorization: 'Bearer access-1' });
  const names = new Set(asked.flatMap((one) => Object.keys(one.headers)));
  expect([...names].sort()).toEqual(['accept', 'content-type']);
});

async function s256(verifier: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return Buffer.from(hash).toString('base64url');
}

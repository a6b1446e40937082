/** One store for several clients: what belongs to one is nothing to another, and can be taken away. */

import { clientCredentials, oauth } from 'mcpp/auth/client';
import { expect, test } from 'vitest';
import { AS, connectionTo, enter, letsIn, MCP, PRM, refused, resourceOf, world } from './world.ts';

const TOKEN = `POST ${AS}/token`;
const POST = { method: 'POST', url: new URL(MCP) };
const robot = { clientId: 'mine', clientSecret: 'sesame', issuer: AS };

test('the token of a person is not used for a machine of the same client id, nor the other way round', async () => {
  const { options, fetch, store, to, pages } = world();
  const person = oauth({ ...options, ...robot });
  const machine = clientCredentials({ fetch, store, ...robot });
  await enter(person.authorizer(connectionTo()), letsIn('access-1'));
  expect(await enter(machine.authorizer(connectionTo()), letsIn('access-2'))).toMatchObject({ status: 200 });
  expect(to(TOKEN).map(({ fields }) => fields['grant_type'])).toEqual(['authorization_code', 'client_credentials']);
  // Both are still there.
  const again = oauth({ ...options, ...robot }).authorizer(connectionTo());
  expect(await again.headers(POST)).toEqual({ authorization: 'Bearer access-1' });
  expect(pages).toHaveLength(1);
});

test('the token of one client is not used by another', async () => {
  const { options, pages } = world();
  await enter(oauth({ ...options, clientId: 'one' }).authorizer(connectionTo()), letsIn('access-1'));
  for (const other of [{ clientId: 'two' }, {}, { clientMetadataUrl: 'https://app.example.com/client.json' }]) {
    expect(
      await oauth({ ...options, ...other })
        .authorizer(connectionTo())
        .headers(POST),
    ).toEqual({});
  }
  await enter(oauth({ ...options, clientId: 'two' }).authorizer(connectionTo()), letsIn('access-2'));
  expect(pages.map((page) => page.searchParams.get('client_id'))).toEqual(['one', 'two']);
});

test('what an issuer gave that is not the configured one any more is not used', async () => {
  const { options } = world();
  await enter(oauth({ ...options, clientId: 'mine' }).authorizer(connectionTo()), letsIn('access-1'));
  const elsewhere = oauth({ ...options, clientId: 'mine', issuer: 'https://new.example.com' });
  expect(await elsewhere.authorizer(connectionTo()).headers(POST)).toEqual({});
});

test('who wants tokens that are bound to a key uses no others', async () => {
  const { options } = world();
  await enter(oauth(options).authorizer(connectionTo()), letsIn('access-1'));
  const bound = oauth({ ...options, dpop: true }).authorizer(connectionTo());
  expect(await bound.headers(POST)).toEqual({});
  const { sent } = await enter(bound, (given) => (given['dpop'] ? { status: 200 } : refused()));
  expect(sent['authorization']).toBe('DPoP access-2');
});

test('two applications that register by themselves do so each under its own name', async () => {
  const { options, to, pages } = world();
  await enter(oauth({ ...options, clientName: 'Editor' }).authorizer(connectionTo()), letsIn('access-1'));
  const other = { ...options, clientName: 'Robot', clientUri: 'https://robot.example.com/' };
  expect(await oauth(other).authorizer(connectionTo()).headers(POST)).toEqual({});
  await enter(oauth(other).authorizer(connectionTo()), letsIn('access-2'));
  expect(to(`POST ${AS}/register`).map(({ fields }) => fields['client_name'])).toEqual(['Editor', 'Robot']);
  expect(pages.map((page) => page.searchParams.get('client_id'))).toEqual(['client-1', 'client-2']);
  // The next process of the same name is the same client.
  await enter(oauth({ ...options, clientName: 'Editor' }).authorizer(connectionTo()), letsIn('access-1'));
  expect(to(`POST ${AS}/register`)).toHaveLength(2);
});

test('two servers of one resource have tokens of their own', async () => {
  const [ONE, OTHER] = [`${MCP}/one`, `${MCP}/other`];
  const { options, kept } = world({
    [`GET ${PRM}/one`]: { json: resourceOf() },
    [`GET ${PRM}/other`]: { json: resourceOf() },
  });
  const auth = oauth(options);
  await enter(auth.authorizer(connectionTo(ONE)), letsIn('access-1'), new URL(ONE));
  await enter(auth.authorizer(connectionTo(OTHER)), letsIn('access-2'), new URL(OTHER));
  expect(kept('tokens')).toMatchObject([{ accessToken: 'access-1' }, { accessToken: 'access-2' }]);
});

test('forgetting a server takes its tokens out of the store and out of use, and nothing else', async () => {
  const OTHER = 'https://mcp.example.com/other';
  const { options, kept, pages } = world({
    'GET https://mcp.example.com/.well-known/oauth-protected-resource/other': {
      json: resourceOf([AS], { resource: OTHER }),
    },
  });
  const auth = oauth(options);
  const authorizer = auth.authorizer(connectionTo());
  await enter(authorizer, letsIn('access-1'));
  await enter(auth.authorizer(connectionTo(OTHER)), letsIn('access-2'), new URL(OTHER));
  await auth.forget(`${MCP}#somewhere`);
  expect(kept('tokens')).toMatchObject([{ accessToken: 'access-2' }]);
  expect(kept('server')).toMatchObject([{ resource: OTHER }]);
  expect(await authorizer.headers(POST)).toEqual({});
  // Whoever signs in right afterwards is asked.
  expect(await enter(authorizer, letsIn('access-3'))).toMatchObject({ status: 200, tries: 1 });
  expect(pages).toHaveLength(3);
  await expect(auth.forget('nonsense')).rejects.toThrow(TypeError);
});

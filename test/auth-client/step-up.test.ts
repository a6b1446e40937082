/** 403 for want of scope: asked for once, with what was had before, and by a new authorization. */

import { oauth } from 'mcpp/auth/client';
import { expect, test } from 'vitest';
import { AS, connectionTo, enter, failureOf, type Guard, letsIn, PRM, resourceOf, tooLittle, world } from './world.ts';

const TOKEN = `POST ${AS}/token`;

/** Whoever has the first token lacks these scopes. */
const lacking =
  (scopes: string): Guard =>
  (sent) =>
    sent['authorization'] === 'Bearer access-1' ? tooLittle(scopes) : letsIn('access-2')(sent);

test('asks for what was requested before and what is needed now, by an authorization and not a refresh', async () => {
  const { options, pages, to } = world({
    [`GET ${PRM}`]: { json: resourceOf([AS], { scopes_supported: ['read', 'list'] }) },
  });
  const authorizer = oauth(options).authorizer(connectionTo());
  await enter(authorizer, letsIn('access-1'));
  expect(await enter(authorizer, lacking('write read'))).toMatchObject({ status: 200, tries: 1 });
  expect(pages.map((page) => page.searchParams.get('scope'))).toEqual(['read list', 'read list write']);
  expect(to(TOKEN).map(({ fields }) => fields['grant_type'])).toEqual(['authorization_code', 'authorization_code']);
});

test('the scopes of before are known to another process that shares the store', async () => {
  const { options, pages } = world();
  await enter(oauth({ ...options, scopes: ['read'] }).authorizer(connectionTo()), letsIn('access-1'));
  await enter(oauth(options).authorizer(connectionTo()), lacking('write'));
  expect(pages.map((page) => page.searchParams.get('scope'))).toEqual(['read', 'read write']);
});

test('is asked once: then it is an error with the challenge', async () => {
  const { options, pages, to } = world();
  const authorizer = oauth({ ...options, scopes: ['read'] }).authorizer(connectionTo());
  await enter(authorizer, letsIn('access-1'));
  const more = ', resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"';
  const error = await failureOf(enter(authorizer, () => tooLittle('admin', more)));
  expect(error).toMatchObject({
    code: 'insufficient_scope',
    isRetryable: false,
    challenge: { scheme: 'bearer', error: 'insufficient_scope', scopes: ['admin'], resourceMetadata: PRM },
  });
  expect(error.message).toContain('admin');
  expect(pages).toHaveLength(2);
  expect(to(TOKEN)).toHaveLength(2);
});

test('nobody is asked again and again by a server that always thinks of something else', async () => {
  const { options, pages } = world();
  const authorizer = oauth(options).authorizer(connectionTo());
  await enter(authorizer, letsIn('access-1'));
  let wishes = 0;
  const error = await failureOf(enter(authorizer, () => tooLittle(`wish-${++wishes}`)));
  expect(error).toMatchObject({ code: 'insufficient_scope', challenge: { scopes: ['wish-2'] } });
  expect(pages).toHaveLength(2);
});

test('the next request may need more again', async () => {
  const { options, pages } = world();
  const authorizer = oauth(options).authorizer(connectionTo());
  await enter(authorizer, letsIn('access-1'));
  await enter(authorizer, lacking('b'));
  const next = await enter(authorizer, (sent) =>
    sent['authorization'] === 'Bearer access-2' ? tooLittle('c') : letsIn('access-3')(sent),
  );
  expect(next).toMatchObject({ status: 200, tries: 1 });
  expect(pages.map((page) => page.searchParams.get('scope'))).toEqual([null, 'b', 'b c']);
});

test('right after the first sign-in is not taken for the server refusing the token', async () => {
  const { options, pages } = world();
  const authorizer = oauth(options).authorizer(connectionTo());
  expect(
    await enter(authorizer, (sent) => (sent['authorization'] ? lacking('b')(sent) : { status: 401 })),
  ).toMatchObject({
    status: 200,
    tries: 2,
  });
  expect(pages).toHaveLength(2);
});

test('without saying which is an error at once', async () => {
  const { options, pages } = world();
  const authorizer = oauth(options).authorizer(connectionTo());
  await enter(authorizer, letsIn('access-1'));
  const headers = { 'www-authenticate': 'Bearer error="insufficient_scope"' };
  expect(await failureOf(enter(authorizer, () => ({ status: 403, headers })))).toMatchObject({
    code: 'insufficient_scope',
  });
  expect(pages).toHaveLength(1);
});

test('somebody who shares the store may have got more already', async () => {
  const { options, pages } = world();
  const one = oauth(options).authorizer(connectionTo());
  const other = oauth(options).authorizer(connectionTo());
  await enter(one, letsIn('access-1'));
  await enter(other, letsIn('access-1'));
  await enter(one, lacking('b'));
  expect(await enter(other, lacking('b'))).toMatchObject({ status: 200, tries: 1 });
  expect(pages).toHaveLength(2);
});

test('any other 403 is not about being let in', async () => {
  const { options, lines } = world();
  const authorizer = oauth(options).authorizer(connectionTo());
  await enter(authorizer, letsIn('access-1'));
  const before = lines().length;
  for (const challenge of [undefined, 'Bearer', 'Bearer error="invalid_token"', 'Basic error="insufficient_scope"']) {
    const headers: Record<string, string> = challenge === undefined ? {} : { 'www-authenticate': challenge };
    expect(await enter(authorizer, () => ({ status: 403, headers }))).toMatchObject({ status: 403, tries: 0 });
  }
  expect(lines()).toHaveLength(before);
});

test('what a record says was asked for by another process is asked for once here, too', async () => {
  const { options, pages } = world();
  await enter(oauth({ ...options, scopes: ['read', 'write'] }).authorizer(connectionTo()), letsIn('access-1'));
  // The person may have left it out there.
  const authorizer = oauth(options).authorizer(connectionTo());
  expect(await enter(authorizer, lacking('write'))).toMatchObject({ status: 200, tries: 1 });
  expect(await failureOf(enter(authorizer, () => tooLittle('write')))).toMatchObject({ code: 'insufficient_scope' });
  expect(pages).toHaveLength(2);
});

test('what was granted according to the authorization server and is still refused is an error at once', async () => {
  const given = { access_token: 'access-1', token_type: 'Bearer', scope: 'read write' };
  const { options, pages } = world({ [TOKEN]: { json: given } });
  await enter(oauth({ ...options, scopes: ['read'] }).authorizer(connectionTo()), letsIn('access-1'));
  const authorizer = oauth(options).authorizer(connectionTo());
  expect(await failureOf(enter(authorizer, () => tooLittle('write')))).toMatchObject({ code: 'insufficient_scope' });
  expect(pages).toHaveLength(1);
});

test('the scopes of the options are asked for in any case, also if less was asked for before', async () => {
  const { options, pages } = world();
  await enter(oauth({ ...options, scopes: ['read'] }).authorizer(connectionTo()), letsIn('access-1'));
  await enter(oauth({ ...options, scopes: ['own'] }).authorizer(connectionTo()), lacking('write'));
  expect(pages.map((page) => page.searchParams.get('scope'))).toEqual(['read', 'own read write']);
});

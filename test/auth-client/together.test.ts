/** Many requests at once: one flow, one refresh, whoever asks. */

import { type CredentialStore, memoryStore, oauth } from 'mcpp/auth/client';
import { afterEach, expect, test, vi } from 'vitest';
import { AS, type Asked, connectionTo, enter, letsIn, MCP, PRM, tokens, tooLittle, world } from './world.ts';

const TOKEN = `POST ${AS}/token`;
const TWENTY = Array.from({ length: 20 });

afterEach(() => {
  vi.useRealTimers();
});

function pass(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
}

test('twenty requests that are not let in lead to one flow, on one connection or on several', async () => {
  for (const share of [true, false]) {
    const { options, pages, to } = world();
    const auth = oauth(options);
    const first = auth.authorizer(connectionTo());
    const all = TWENTY.map(() => enter(share ? first : auth.authorizer(connectionTo()), letsIn('access-1')));
    for (const { status, tries } of await Promise.all(all))
      expect({ status, tries }).toEqual({ status: 200, tries: 1 });
    expect(pages).toHaveLength(1);
    expect(to(TOKEN)).toHaveLength(1);
    expect(to(`GET ${PRM}`)).toHaveLength(1);
  }
});

test('twenty requests with a token that has expired lead to one refresh, before they are sent', async () => {
  const { options, to } = world();
  const authorizer = oauth(options).authorizer(connectionTo());
  await enter(authorizer, letsIn('access-1'));
  pass(3600);
  const all = await Promise.all(TWENTY.map(() => enter(authorizer, letsIn('access-2'))));
  expect(all.map(({ tries }) => tries)).toEqual(TWENTY.map(() => 0));
  expect(to(TOKEN).map(({ fields }) => fields['grant_type'])).toEqual(['authorization_code', 'refresh_token']);
});

test('twenty requests whose token is refused lead to one refresh', async () => {
  const { options, to, pages } = world();
  const authorizer = oauth(options).authorizer(connectionTo());
  await enter(authorizer, letsIn('access-1'));
  await Promise.all(TWENTY.map(() => enter(authorizer, letsIn('access-2'))));
  expect(to(TOKEN).map(({ fields }) => fields['refresh_token'])).toEqual([undefined, 'refresh-1']);
  expect(pages).toHaveLength(1);
});

test('two that share a store refresh once in all, and both use what came of it', async () => {
  const { options, to } = world();
  const one = oauth(options).authorizer(connectionTo());
  const other = oauth(options).authorizer(connectionTo());
  await enter(one, letsIn('access-1'));
  await enter(other, letsIn('access-1'));
  pass(3600);
  const both = await Promise.all([
    ...TWENTY.map(() => enter(one, letsIn('access-2'))),
    enter(other, letsIn('access-2')),
  ]);
  expect(new Set(both.map(({ sent }) => sent['authorization']))).toEqual(new Set(['Bearer access-2']));
  expect(to(TOKEN)).toHaveLength(2);
});

test('two that share a store and are refused at once sign in once in all', async () => {
  const { options, to, pages } = world();
  const all = TWENTY.map(() => enter(oauth(options).authorizer(connectionTo()), letsIn('access-1')));
  await Promise.all(all);
  expect(pages).toHaveLength(1);
  expect(to(TOKEN)).toHaveLength(1);
});

test('a request that is refused while the store is only being looked into gets a flow of its own', async () => {
  const inner = memoryStore();
  const { options, to } = world();
  const looking: { release?: () => void } = {};
  const held = new Promise<void>((resolve) => {
    looking.release = resolve;
  });
  const reads = vi.fn(async () => {});
  const store: CredentialStore = { ...inner, get: (key) => reads().then(() => inner.get(key)) };
  const authorizer = oauth({ ...options, store }).authorizer(connectionTo());
  const url = new URL(MCP);
  expect(await authorizer.headers({ method: 'POST', url })).toEqual({});
  reads.mockImplementation(() => held);
  const another = authorizer.headers({ method: 'POST', url });
  const refused = authorizer.onChallenge({
    method: 'POST',
    url,
    status: 401,
    sent: {},
    header: () => undefined,
    tries: 0,
  });
  looking.release?.();
  expect(await another).toEqual({});
  expect(await refused).toBe(true);
  // It was worth the while: there is a token now.
  expect(await authorizer.headers({ method: 'POST', url })).toEqual({ authorization: 'Bearer access-1' });
  expect(to(TOKEN)).toHaveLength(1);
});

test('two requests that lack different scopes get both, each with one new authorization at most', async () => {
  const { options, pages } = world();
  const authorizer = oauth({ ...options, scopes: ['base'] }).authorizer(connectionTo());
  await enter(authorizer, letsIn('access-1'));
  const scopesOf = (authorization = ''): string[] =>
    pages[Number(authorization.split('-')[1]) - 1]?.searchParams.get('scope')?.split(' ') ?? [];
  const needs = (scope: string) =>
    enter(authorizer, ({ authorization }) =>
      scopesOf(authorization).includes(scope) ? { status: 200 } : tooLittle(scope),
    );
  const both = await Promise.all([needs('read'), needs('write')]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect(pages.map((page) => page.searchParams.get('scope'))).toEqual(['base', 'base read', 'base read write']);
});

test('who comes while a refresh is under way waits for it; who comes later starts another', async () => {
  const { options, change, to } = world();
  const authorizer = oauth(options).authorizer(connectionTo());
  await enter(authorizer, letsIn('access-1'));
  const begun: { answer?: (() => void) | undefined } = {};
  change({
    [TOKEN]: (asked: Asked) =>
      new Promise((resolve) => {
        begun.answer = () => resolve(tokens(`${asked.fields['refresh_token']}-next`, asked));
      }),
  });
  pass(3600);
  const first = authorizer.headers({ method: 'POST', url: new URL(MCP) });
  await vi.waitUntil(() => begun.answer);
  const second = authorizer.headers({ method: 'GET', url: new URL(MCP) });
  answer(begun);
  expect(await first).toEqual({ authorization: 'Bearer access-refresh-1-next' });
  expect(await second).toEqual(await first);
  pass(3600);
  begun.answer = undefined;
  const third = authorizer.headers({ method: 'POST', url: new URL(MCP) });
  await vi.waitUntil(() => begun.answer);
  answer(begun);
  expect(await third).toEqual({ authorization: 'Bearer access-refresh-refresh-1-next-next' });
  expect(to(TOKEN)).toHaveLength(3);
});

// What a promise's executor assigns is not seen by the compiler.
function answer({ answer }: { answer?: (() => void) | undefined }): void {
  answer?.();
}

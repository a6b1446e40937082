/** Tokens that expire: refreshed in time, kept through every trouble, and given up only when they are refused. */

import { type CredentialStore, oauth } from 'mcpp/auth/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Answer,
  AS,
  type Asked,
  connectionTo,
  enter,
  failureOf,
  letsIn,
  MCP,
  METADATA,
  metadataOf,
  PRM,
  resourceOf,
  SERVER_KEY,
  TOKENS_KEY,
  tokens,
  type World,
  world,
} from './world.ts';

const TOKEN = `POST ${AS}/token`;
const POST = { method: 'POST', url: new URL(MCP) };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Clocks go on; nobody waits. */
function pass(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1000);
}

/** Somebody has signed in, with a token for an hour. */
async function signedIn(given: World = world()) {
  const authorizer = oauth(given.options).authorizer(connectionTo());
  await enter(authorizer, letsIn('access-1'));
  given.asked.length = 0;
  return { ...given, authorizer };
}

const answers = (json: object, status = 200): Answer => ({ status, json });
const refusal = (error: string, status = 400): Answer => answers({ error, error_description: 'No.' }, status);

describe('a token', () => {
  test('is used as long as it is good, and nothing is asked', async () => {
    const { authorizer, lines } = await signedIn();
    pass(3500);
    expect(await authorizer.headers(POST)).toEqual({ authorization: 'Bearer access-1' });
    expect(lines()).toEqual([]);
  });

  test('is refreshed before it expires, with the resource and without scopes, and no call waits for that', async () => {
    const { authorizer, asked } = await signedIn();
    pass(3580);
    expect(authorizer.headers(POST)).toEqual({ authorization: 'Bearer access-1' });
    await vi.waitFor(() => expect(authorizer.headers(POST)).toEqual({ authorization: 'Bearer access-2' }));
    expect(asked.map(({ line }) => line)).toEqual([TOKEN]);
    expect(asked[0]?.fields).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'refresh-1',
      client_id: 'client-1',
      resource: MCP,
    });
  });

  test('each refresh token is used once, if each answer brings another', async () => {
    const { authorizer, to } = await signedIn();
    for (let hour = 0; hour < 3; hour++) {
      pass(3600);
      await authorizer.headers(POST);
    }
    expect(to(TOKEN).map(({ fields }) => fields['refresh_token'])).toEqual(['refresh-1', 'refresh-2', 'refresh-3']);
  });

  test('an answer without a refresh token leaves the old one in use', async () => {
    const { authorizer, to, change } = await signedIn();
    change({ [TOKEN]: answers({ access_token: 'later', token_type: 'Bearer', expires_in: '3600' }) });
    for (let hour = 0; hour < 2; hour++) {
      pass(3600);
      expect(await authorizer.headers(POST)).toEqual({ authorization: 'Bearer later' });
    }
    expect(to(TOKEN).map(({ fields }) => fields['refresh_token'])).toEqual(['refresh-1', 'refresh-1']);
  });

  test('is refreshed by another process too, which finds out how', async () => {
    const { options, lines } = await signedIn();
    pass(3600);
    const { sent } = await enter(oauth(options).authorizer(connectionTo()), letsIn('access-2'));
    expect(sent).toEqual({ authorization: 'Bearer access-2' });
    expect(lines()).toEqual([`GET ${METADATA}`, TOKEN]);
  });

  test('that has no refresh token is used to its end, and then asked for anew', async () => {
    const given = world({ [TOKEN]: answers({ access_token: 'access-1', token_type: 'Bearer', expires_in: 3600 }) });
    const { authorizer, pages, change, to } = await signedIn(given);
    pass(3590);
    expect(await authorizer.headers(POST)).toEqual({ authorization: 'Bearer access-1' });
    pass(10);
    change({ [TOKEN]: (asked) => tokens(2, asked) });
    expect(await enter(authorizer, letsIn('access-2'))).toMatchObject({ status: 200, tries: 1 });
    expect(pages).toHaveLength(2);
    expect(to(TOKEN).map(({ fields }) => fields['grant_type'])).toEqual(['authorization_code']);
  });

  test('that lives shortly is not refreshed with every request', async () => {
    const short = (asked: Asked): Answer => tokens(to(TOKEN).length, asked, { expires_in: 20 });
    const { options, to } = world({ [TOKEN]: short });
    const authorizer = oauth(options).authorizer(connectionTo());
    await enter(authorizer, letsIn('access-1'));
    pass(14);
    expect(await enter(authorizer, letsIn('access-1'))).toMatchObject({ tries: 0 });
    pass(1);
    expect(await enter(authorizer, letsIn('access-1'))).toMatchObject({ tries: 0 });
    await vi.waitFor(() => expect(authorizer.headers(POST)).toEqual({ authorization: 'Bearer access-2' }));
    expect(to(TOKEN)).toHaveLength(2);
  });

  test('that is over is never left out: the server is not to take us for a stranger', async () => {
    const given = world({ [TOKEN]: answers({ access_token: 'access-1', token_type: 'Bearer', expires_in: 3600 }) });
    const { authorizer, lines } = await signedIn(given);
    pass(3600);
    expect(await authorizer.headers(POST)).toEqual({ authorization: 'Bearer access-1' });
    expect(lines()).toEqual([]);
  });

  test('of which it is said that it expires at once is used nevertheless, and nobody is asked twice', async () => {
    const { options, pages, to } = world({ [TOKEN]: (asked) => tokens(1, asked, { expires_in: 0 }) });
    const authorizer = oauth(options).authorizer(connectionTo());
    expect(await enter(authorizer, letsIn('access-1'))).toMatchObject({ status: 200, tries: 1 });
    expect(await enter(authorizer, letsIn('access-1'))).toMatchObject({ status: 200, tries: 0 });
    expect(pages).toHaveLength(1);
    expect(to(TOKEN)).toHaveLength(1);
  });
});

describe('trouble on a refresh', () => {
  const troubles: readonly (readonly [string, Answer | (() => never), string])[] = [
    ['status 500', { status: 500, text: 'oops' }, 'unexpected_status'],
    ['status 503 with an error of the RFCs', refusal('temporarily_unavailable', 503), 'temporarily_unavailable'],
    ['status 429', { status: 429 }, 'unexpected_status'],
    ['a page of something on the way', { text: '<html>', headers: { 'content-type': 'text/html' } }, 'not_json'],
    [
      'no answer',
      () => {
        throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      },
      'unreachable',
    ],
  ];

  test.each(troubles)(
    '%s: what is kept stays, and what is still good is used meanwhile',
    async (_name, trouble, code) => {
      const { authorizer, change, kept, pages, to } = await signedIn();
      const before = kept('tokens');
      change({ [TOKEN]: trouble });
      pass(3580);
      expect(authorizer.headers(POST)).toEqual({ authorization: 'Bearer access-1' });
      await vi.waitFor(() => expect(to(TOKEN)).toHaveLength(1));
      for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
      // Not with every call, as long as it is good.
      pass(9);
      expect(authorizer.headers(POST)).toEqual({ authorization: 'Bearer access-1' });
      expect(to(TOKEN)).toHaveLength(1);
      pass(60);
      const error = await failureOf(enter(authorizer, letsIn('never')));
      expect(error).toMatchObject({ code, isRetryable: true });
      expect(error.message).toContain(`${AS}/token`);
      expect(kept('tokens')).toEqual(before);
      // The next call tries again, and nobody is bothered.
      change({ [TOKEN]: (asked) => tokens(2, asked) });
      expect(await enter(authorizer, letsIn('access-2'))).toMatchObject({ tries: 0 });
      expect(to(TOKEN)).toHaveLength(3);
      expect(pages).toHaveLength(1);
    },
  );

  test.each(['invalid_request', 'invalid_scope', 'unsupported_grant_type'])(
    '%s leads to a new authorization, and what is kept is not lost until that is there',
    async (error) => {
      const { authorizer, change, kept, pages } = await signedIn();
      const before = kept('tokens');
      change({ [TOKEN]: refusal(error) });
      pass(3600);
      expect(await failureOf(enter(authorizer, letsIn('never')))).toMatchObject({ code: error, isRetryable: false });
      expect(kept('tokens')).toEqual(before);
      expect(pages).toHaveLength(2);
      change({ [TOKEN]: (asked) => (asked.fields['refresh_token'] ? refusal(error) : tokens(2, asked)) });
      expect(await enter(authorizer, letsIn('access-2'))).toMatchObject({ status: 200, tries: 1 });
    },
  );

  test('is over when the token endpoint is found where it has moved to', async () => {
    const { authorizer, change } = await signedIn();
    change({
      [TOKEN]: { status: 404 },
      [`GET ${METADATA}`]: { json: metadataOf(AS, { token_endpoint: `${AS}/v2/token` }) },
      [`POST ${AS}/v2/token`]: (asked) => tokens(2, asked),
    });
    pass(3600);
    await failureOf(enter(authorizer, letsIn('never')));
    expect(await enter(authorizer, letsIn('access-2'))).toMatchObject({ status: 200, tries: 0 });
  });

  test('a refusal by the server at the same time does not change that', async () => {
    const { authorizer, change, kept, pages } = await signedIn();
    const before = kept('tokens');
    change({ [TOKEN]: { status: 502 } });
    expect(await failureOf(enter(authorizer, letsIn('never')))).toMatchObject({ isRetryable: true });
    expect(kept('tokens')).toEqual(before);
    expect(pages).toHaveLength(1);
  });
});

describe('a refresh token that is refused', () => {
  test.each(['invalid_grant', 'invalid_client'])('with %s leads to a new authorization', async (error) => {
    const { authorizer, change, pages, to } = await signedIn();
    change({ [TOKEN]: (asked) => (asked.fields['refresh_token'] ? refusal(error) : tokens(2, asked)) });
    pass(3600);
    expect(await enter(authorizer, letsIn('access-2'))).toMatchObject({ status: 200, tries: 1 });
    expect(pages).toHaveLength(2);
    expect(to(TOKEN).map(({ fields }) => fields['grant_type'])).toEqual(['refresh_token', 'authorization_code']);
  });

  test('also if the error comes with status 200', async () => {
    const { authorizer, change, pages } = await signedIn();
    change({
      [TOKEN]: (asked) => (asked.fields['refresh_token'] ? answers({ error: 'invalid_grant' }) : tokens(2, asked)),
    });
    pass(60);
    expect(await enter(authorizer, letsIn('access-2'))).toMatchObject({ status: 200 });
    expect(pages).toHaveLength(2);
  });

  test('is not sent a second time', async () => {
    const { authorizer, change, to, kept } = await signedIn();
    change({ [TOKEN]: refusal('invalid_grant') });
    pass(3590);
    expect(authorizer.headers(POST)).toEqual({ authorization: 'Bearer access-1' });
    await vi.waitFor(() => expect(kept('tokens')).not.toMatchObject([{ refreshToken: expect.anything() }]));
    pass(10);
    expect(await authorizer.headers(POST)).toEqual({ authorization: 'Bearer access-1' });
    expect(to(TOKEN)).toHaveLength(1);
  });

  test('a client that is not known any more is registered anew', async () => {
    const { authorizer, change, pages, to } = await signedIn();
    change({
      [TOKEN]: (asked) =>
        asked.fields['client_id'] === 'client-1' ? refusal('invalid_client', 401) : tokens(2, asked),
    });
    pass(3600);
    expect(await enter(authorizer, letsIn('access-2'))).toMatchObject({ status: 200 });
    expect(to(`POST ${AS}/register`)).toHaveLength(1);
    expect(pages.map((page) => page.searchParams.get('client_id'))).toEqual(['client-1', 'client-2']);
  });
});

describe('somebody else who shares the store', () => {
  /** A store that does not lock, and is written to while a refresh is under way. */
  async function overtaken(newer: object) {
    const given = await signedIn();
    const { store, change, options } = given;
    const tokensKey = TOKENS_KEY;
    const unlocked: CredentialStore = { ...store, exclusive: (_key, task) => task() };
    change({
      async [TOKEN]() {
        const kept = (await store.get(tokensKey)) as object;
        await store.set(tokensKey, { ...kept, ...newer });
        return refusal('invalid_grant');
      },
    });
    pass(3600);
    return { ...given, authorizer: oauth({ ...options, store: unlocked }).authorizer(connectionTo()) };
  }

  test('may have been faster: the newer generation is used, and never deleted', async () => {
    const newer = { accessToken: 'winner', refreshToken: 'refresh-winner', expiresAt: Date.now() + 2 * 3600_000 };
    const { authorizer, pages, kept } = await overtaken(newer);
    expect(await enter(authorizer, letsIn('winner'))).toMatchObject({ status: 200, tries: 0 });
    expect(pages).toHaveLength(1);
    expect(kept('tokens')).toEqual([expect.objectContaining(newer)]);
  });

  test('may have refreshed already: then nothing is asked', async () => {
    const { options, authorizer, lines } = await signedIn();
    pass(3600);
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-2'));
    const before = lines().length;
    expect(await enter(authorizer, letsIn('access-2'))).toMatchObject({ tries: 0 });
    expect(await enter(authorizer, letsIn('access-2'))).toMatchObject({ tries: 0 });
    expect(lines()).toHaveLength(before);
  });

  test('who took everything away leaves us to ask anew', async () => {
    const { authorizer, store, pages } = await signedIn();
    await store.set(TOKENS_KEY, undefined);
    pass(3600);
    expect(await enter(authorizer, letsIn('access-2'))).toMatchObject({ status: 200 });
    expect(pages).toHaveLength(2);
  });
});

test('what cannot be read in the store is as good as not there', async () => {
  const { options, store, pages } = await signedIn();
  await store.set(TOKENS_KEY, { accessToken: 5, scopes: 'a' });
  await enter(oauth(options).authorizer(connectionTo()), letsIn('access-2'));
  await store.set(SERVER_KEY, ['nonsense']);
  await enter(oauth(options).authorizer(connectionTo()), letsIn('access-3'));
  expect(pages).toHaveLength(3);
});

test('a token the authorization server has just given, and the server refuses, is no reason to ask for another', async () => {
  const { options, pages, to } = world();
  const authorizer = oauth(options).authorizer(connectionTo());
  const error = await failureOf(
    enter(authorizer, ({ authorization }) =>
      authorization
        ? { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }
        : { status: 401 },
    ),
  );
  expect(error).toMatchObject({ code: 'invalid_token', isRetryable: false, challenge: { error: 'invalid_token' } });
  expect(error.message).toContain('has just given');
  expect(pages).toHaveLength(1);
  expect(to(TOKEN)).toHaveLength(1);
  // A server that was only out of order for a moment lets it in later.
  expect(await enter(authorizer, letsIn('access-1'))).toMatchObject({ tries: 0 });
});

test('a token that a refresh gave, and the server refuses, is asked for anew, once', async () => {
  const { authorizer, pages, to } = await signedIn();
  pass(60);
  expect(await failureOf(enter(authorizer, letsIn('never')))).toMatchObject({ code: 'invalid_token' });
  expect(to(TOKEN).map(({ fields }) => fields['grant_type'])).toEqual(['refresh_token', 'authorization_code']);
  expect(pages).toHaveLength(2);
});

test('an authorization server that is gone does not keep us from the one that the server has now', async () => {
  const next = 'https://new.example.com';
  const { authorizer, change, lines } = await signedIn();
  const gone = (): never => {
    throw Object.assign(new Error('gone'), { code: 'ENOTFOUND' });
  };
  change({
    [TOKEN]: gone,
    [`GET ${METADATA}`]: gone,
    [`GET ${PRM}`]: { json: resourceOf([next]) },
    [`GET ${next}/.well-known/oauth-authorization-server`]: { json: metadataOf(next) },
    [`POST ${next}/register`]: { status: 201, json: { client_id: 'next' } },
    [`POST ${next}/token`]: (asked: Asked) => tokens('next', asked),
  });
  pass(3600);
  expect(await enter(authorizer, letsIn('access-next'))).toMatchObject({ status: 200, tries: 1 });
  expect(lines().filter((line) => line === TOKEN)).toHaveLength(1);
});

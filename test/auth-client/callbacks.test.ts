/** The way back from the browser: whose answer it is, that it is used once, and by whom. */

import { oauth } from 'mcpp/auth/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  AS,
  callbackTo,
  connectionTo,
  enter,
  failureOf,
  letsIn,
  MCP,
  METADATA,
  metadataOf,
  PRM,
  REDIRECT,
  tokens,
  world,
} from './world.ts';

const TOKEN = `POST ${AS}/token`;

afterEach(() => {
  vi.useRealTimers();
});

/** Comes back with this from the page. */
async function comingBackWith(change: (callback: URL) => void, metadata: object = {}) {
  const { options, to, kept } = world({ [`GET ${METADATA}`]: { json: metadataOf(AS, metadata) } });
  const authorize = async (page: URL): Promise<URL> => {
    const callback = callbackTo(page, { code: 'code-1' });
    change(callback);
    return callback;
  };
  const outcome = enter(oauth({ ...options, authorize }).authorizer(connectionTo()), letsIn('access-1'));
  return { outcome, tokenRequests: () => to(TOKEN).length, kept };
}

describe('the issuer that a callback names', () => {
  const promised = { authorization_response_iss_parameter_supported: true };
  const table: readonly (readonly [string, object, string | undefined, boolean])[] = [
    ['promised and right', promised, AS, true],
    ['promised and missing', promised, undefined, false],
    ['promised and of another', promised, 'https://evil.example.com', false],
    ['not promised and missing', {}, undefined, true],
    ['not promised and right', {}, AS, true],
    ['not promised and of another', {}, 'https://evil.example.com', false],
    ['with a slash more', promised, `${AS}/`, false],
    ['in capitals', promised, 'https://AUTH.example.com', false],
    ['with the port that goes without saying', promised, `${AS}:443`, false],
    ['empty', {}, '', false],
  ];

  test.each(table)('%s', async (_name, metadata, iss, isFine) => {
    const { outcome, tokenRequests } = await comingBackWith((callback) => {
      if (iss !== undefined) callback.searchParams.set('iss', iss);
    }, metadata);
    if (isFine) expect((await outcome).status).toBe(200);
    else expect(await failureOf(outcome)).toMatchObject({ code: 'issuer_mismatch' });
    expect(tokenRequests()).toBe(isFine ? 1 : 0);
  });

  test('decides before an error is believed, and nothing of that error is shown', async () => {
    const { outcome } = await comingBackWith((callback) => {
      callback.searchParams.delete('code');
      callback.searchParams.set('error', 'access_denied');
      callback.searchParams.set('error_description', 'call us at 555');
      callback.searchParams.set('iss', 'https://evil.example.com');
    });
    const error = await failureOf(outcome);
    expect(error.code).toBe('issuer_mismatch');
    expect(error.message).not.toMatch(/555|access_denied|evil/);
  });

  test('also decides when somebody else completes it', async () => {
    const { options, to, pages } = world({ [`GET ${METADATA}`]: { json: metadataOf(AS, promised) } });
    const show = { ...options, authorize: async (page: URL) => void pages.push(page) };
    await failureOf(enter(oauth(show).authorizer(connectionTo()), letsIn()));
    const [page] = pages as [URL];
    const finishing = oauth(options).finish(callbackTo(page, { code: 'code-1', iss: 'https://evil.example.com' }));
    const error = await failureOf(finishing);
    expect(error).toMatchObject({ code: 'issuer_mismatch' });
    expect(error.message).not.toContain('evil');
    expect(to(TOKEN)).toEqual([]);
  });
});

describe('a callback', () => {
  test.each<[string, (callback: URL) => void, string]>([
    ['without a state', (url) => url.searchParams.delete('state'), 'state_mismatch'],
    ['with another state', (url) => url.searchParams.set('state', 'other'), 'state_mismatch'],
    ['with two states', (url) => url.searchParams.append('state', 'other'), 'invalid_callback'],
    ['without a code', (url) => url.searchParams.delete('code'), 'invalid_callback'],
    ['with two codes', (url) => url.searchParams.append('code', 'other'), 'invalid_callback'],
    ['with a token in it', (url) => url.searchParams.set('response', 'x'), 'invalid_callback'],
    ['at another place', (url) => Object.assign(url, { pathname: '/other' }), 'invalid_callback'],
    ['with an error', (url) => url.searchParams.set('error', 'access_denied'), 'access_denied'],
  ])('%s leads to no token request, and to an error that tells what was tried', async (_name, change, code) => {
    const { outcome, tokenRequests, kept } = await comingBackWith(change);
    const error = await failureOf(outcome);
    expect(error.code).toBe(code);
    for (const url of [PRM, METADATA, `${AS}/register`, `${AS}/authorize`]) expect(error.message).toContain(url);
    expect(error.message).not.toContain('code-1');
    expect(tokenRequests()).toBe(0);
    expect(kept('pending')).toEqual([]);
    expect(kept('tokens')).toEqual([]);
  });

  test('that is no URL is a mistake of the application', async () => {
    const { options } = world();
    const authorizer = oauth({ ...options, authorize: async () => 'nonsense' }).authorizer(connectionTo());
    await expect(enter(authorizer, letsIn())).rejects.toThrow(
      new TypeError('oauth: "authorize" must give a URL, or nothing'),
    );
    await expect(oauth(options).finish('nonsense')).rejects.toThrow(TypeError);
  });

  test('may be given as text', async () => {
    const { options } = world();
    const authorize = async (page: URL) => callbackTo(page, { code: 'c' }).href;
    const { status } = await enter(oauth({ ...options, authorize }).authorizer(connectionTo()), letsIn('access-1'));
    expect(status).toBe(200);
  });
});

test.each([undefined, [], ['plain'], 'S256'])(
  'without PKCE by S256 (%j) nobody is asked, and nobody is registered',
  async (methods) => {
    const { options, pages, lines } = world({
      [`GET ${METADATA}`]: { json: metadataOf(AS, { code_challenge_methods_supported: methods }) },
    });
    const error = await failureOf(enter(oauth(options).authorizer(connectionTo()), letsIn()));
    expect(error).toMatchObject({ code: 'pkce_unsupported' });
    expect(error.message).toContain(METADATA);
    expect(pages).toEqual([]);
    expect(lines()).toEqual([`GET ${PRM}`, `GET ${METADATA}`]);
  },
);

describe('a person who comes back later', () => {
  /** A page was shown, and the call has failed meanwhile. */
  async function shown() {
    const given = world();
    const authorize = async (page: URL): Promise<undefined> => void given.pages.push(page);
    const connection = connectionTo();
    const authorizer = oauth({ ...given.options, authorize }).authorizer(connection);
    const error = await failureOf(enter(authorizer, letsIn('access-1')));
    expect(error).toMatchObject({ code: 'authorization_pending', isRetryable: true });
    expect(error.message).toContain('"finish"');
    return { ...given, authorizer, connection, page: given.pages[0] as URL };
  }

  test('is let in with what another process makes of the callback', async () => {
    const { options, page, authorizer, connection, lines, to } = await shown();
    expect(connection.waits).toEqual({ count: 1, now: 0 });
    await oauth({ ...options, authorize: undefined }).finish(callbackTo(page, { code: 'code-late' }).href);
    expect(to(TOKEN).map(({ fields }) => [fields['code'], fields['redirect_uri'], fields['client_id']])).toEqual([
      ['code-late', REDIRECT, 'client-1'],
    ]);
    const before = lines().length;
    expect(await enter(authorizer, letsIn('access-1'))).toMatchObject({ status: 200, tries: 0 });
    expect(lines()).toHaveLength(before);
    expect(connection.signIns()).toBe(1);
  });

  test('has a refresh token like everybody else', async () => {
    const { options, page, to } = await shown();
    await oauth(options).finish(callbackTo(page, { code: 'code-late' }));
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-2'));
    expect(to(TOKEN)[1]?.fields).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'refresh-1' });
  });

  test('can come back once', async () => {
    const { options, page, to, kept } = await shown();
    const auth = oauth(options);
    const callback = callbackTo(page, { code: 'code-late' });
    const outcomes = await Promise.allSettled([auth.finish(callback), oauth(options).finish(callback)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await failureOf(auth.finish(callback))).toMatchObject({ code: 'state_mismatch' });
    expect(to(TOKEN)).toHaveLength(1);
    expect(kept('pending')).toEqual([]);
  });

  test('cannot come back with the state of another, nor without one', async () => {
    const { options, page, to, kept } = await shown();
    for (const state of ['foreign', '']) {
      const callback = callbackTo(page, { code: 'code-late', state });
      expect(await failureOf(oauth(options).finish(callback))).toMatchObject({ code: 'state_mismatch' });
    }
    expect(to(TOKEN)).toEqual([]);
    expect(kept('pending')).toHaveLength(1);
  });

  test('can come back again if it was only about the moment', async () => {
    const { options, page, change, kept, to } = await shown();
    const callback = callbackTo(page, { code: 'code-late' });
    for (const trouble of [{ [`GET ${METADATA}`]: { status: 503 } }, { [TOKEN]: { status: 503 } }]) {
      change(trouble);
      expect(await failureOf(oauth(options).finish(callback))).toMatchObject({ isRetryable: true });
      expect(kept('pending')).toMatchObject([[{ server: MCP }]]);
      change({ [`GET ${METADATA}`]: { json: metadataOf(AS) } });
    }
    change({ [TOKEN]: (asked) => tokens(1, asked) });
    await oauth(options).finish(callback);
    expect(to(TOKEN)).toHaveLength(2);
    expect(kept('pending')).toEqual([]);
  });

  test('is not taken from somebody else by a callback that is wrong', async () => {
    const { options, page, kept } = await shown();
    const callback = callbackTo(page, { code: 'code-late', iss: 'https://evil.example.com' });
    expect(await failureOf(oauth(options).finish(callback))).toMatchObject({ code: 'issuer_mismatch' });
    expect(kept('pending')).toHaveLength(1);
    await oauth(options).finish(callbackTo(page, { code: 'code-late' }));
  });

  test('has to come back to the redirect URI', async () => {
    const { options, page, to } = await shown();
    for (const place of [
      'http://127.0.0.1:7778/callback',
      'http://127.0.0.1:7777/other',
      'https://127.0.0.1:7777/callback',
    ]) {
      const callback = new URL(`${place}${callbackTo(page, { code: 'code-late' }).search}`);
      const error = await failureOf(oauth(options).finish(callback));
      expect(error).toMatchObject({ code: 'invalid_callback' });
      expect(error.message).toContain(REDIRECT);
      expect(error.message).not.toContain('code-late');
    }
    expect(to(TOKEN)).toEqual([]);
  });

  test('cannot come back after a quarter of an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { options, page, to, kept } = await shown();
    vi.setSystemTime(Date.now() + 15 * 60_000);
    const callback = callbackTo(page, { code: 'code-late' });
    expect(await failureOf(oauth(options).finish(callback))).toMatchObject({ code: 'state_mismatch' });
    expect(to(TOKEN)).toEqual([]);
    expect(kept('pending')).toEqual([]);
  });

  test('and brings a refusal is told so', async () => {
    const { options, page, kept } = await shown();
    const callback = callbackTo(page, { error: 'access_denied' });
    expect(await failureOf(oauth(options).finish(callback))).toMatchObject({ code: 'access_denied' });
    expect(kept('tokens')).toEqual([]);
  });

  test('gets what the authorization server says about the code, and what was tried', async () => {
    const { options, page, change } = await shown();
    change({ [TOKEN]: { status: 400, json: { error: 'invalid_grant' } } });
    const error = await failureOf(oauth(options).finish(callbackTo(page, { code: 'code-late' })));
    expect(error).toMatchObject({ code: 'invalid_grant' });
    expect(error.trace.map(({ url, status }) => `${url} ${status}`)).toEqual([`${METADATA} 200`, `${AS}/token 400`]);
  });

  test('is no use to a client that is not the one that asked', async () => {
    const { options, page, store, to } = await shown();
    await store.set(JSON.stringify(['clients', AS]), undefined);
    const finishing = oauth(options).finish(callbackTo(page, { code: 'code-late' }));
    expect(await failureOf(finishing)).toMatchObject({ code: 'invalid_client' });
    expect(to(TOKEN)).toEqual([]);
  });
});

test('somebody who completed it elsewhere has it: the one who waited for it does not use the code a second time', async () => {
  const { options, to } = world();
  const authorize = async (page: URL): Promise<URL> => {
    const callback = callbackTo(page, { code: 'code-1' });
    await oauth(options).finish(callback);
    return callback;
  };
  const authorizer = oauth({ ...options, authorize }).authorizer(connectionTo());
  expect(await failureOf(enter(authorizer, letsIn('access-1')))).toMatchObject({ code: 'state_mismatch' });
  expect(to(TOKEN)).toHaveLength(1);
  expect(await enter(authorizer, letsIn('access-1'))).toMatchObject({ status: 200, tries: 0 });
});

test('an application that throws while it shows the page gets its own error back', async () => {
  const { options, kept } = world();
  const own = new Error('window closed');
  const authorizer = oauth({ ...options, authorize: () => Promise.reject(own) }).authorizer(connectionTo());
  await expect(enter(authorizer, letsIn())).rejects.toBe(own);
  expect(kept('pending')).toEqual([]);
});

test('those whom nobody waits for do not pile up: twenty at most, and none that is too late', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { options, kept, pages } = world();
  const show = { ...options, authorize: async (page: URL) => void pages.push(page) };
  const ask = () => failureOf(enter(oauth(show).authorizer(connectionTo()), letsIn()));
  for (let times = 0; times < 25; times++) await ask();
  expect(kept('pending')).toEqual([expect.objectContaining({ length: 20 })]);
  const [oldest, newest] = [pages[0] as URL, pages[24] as URL];
  expect(await failureOf(oauth(options).finish(callbackTo(oldest, { code: 'c' })))).toMatchObject({
    code: 'state_mismatch',
  });
  await oauth(options).finish(callbackTo(newest, { code: 'c' }));
  vi.setSystemTime(Date.now() + 15 * 60_000);
  await oauth(options).forget(MCP);
  await ask();
  expect(kept('pending')).toEqual([expect.objectContaining({ length: 1 })]);
});

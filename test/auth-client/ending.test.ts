/** Connections that end, alone or while others wait: what goes on, what does not, and who is told. */

import { memoryStore, oauth, workloadIdentity } from 'mcpp/auth/client';
import { describe, expect, test, vi } from 'vitest';
import { clientAuth, sessionOptions } from '../../src/auth/client/auth.ts';
import type { Browser, BrowserVisit } from '../../src/auth/client/browser.ts';
import { CodeGrant } from '../../src/auth/client/code-grant.ts';
import { Registrar } from '../../src/auth/client/registrar.ts';
import {
  AS,
  type Asked,
  callbackTo,
  connectionTo,
  enter,
  failureOf,
  letsIn,
  MCP,
  PRM,
  REDIRECT,
  SERVER_KEY,
  tokens,
  world,
} from './world.ts';

const TOKEN = `POST ${AS}/token`;
const POST = { method: 'POST', url: new URL(MCP) };
const REASON = new Error('The connection was closed');

/** A person who takes their time: `shown` when they see the page, and they are done when `say` is called. */
function slowPerson() {
  const shown = deferred<{ page: URL; signal: AbortSignal }>();
  const done = deferred<URL | undefined>();
  return {
    shown: shown.promise,
    comeBack: async () => done.resolve(callbackTo((await shown.promise).page, { code: 'code-1' })),
    refuse: (error: Error) => done.reject(error),
    authorize: (page: URL, { signal }: { signal: AbortSignal }) => {
      shown.resolve({ page, signal });
      return done.promise;
    },
  };
}

function deferred<T>() {
  let [resolve, reject] = [(_value: T): void => {}, (_error: unknown): void => {}];
  const promise = new Promise<T>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
}

describe('while a person signs in', () => {
  test('the connection closes: whoever waits is told why, and nothing is left', async () => {
    const { options, kept, to } = world();
    const { authorize, shown } = slowPerson();
    const connection = connectionTo();
    const entering = enter(oauth({ ...options, authorize }).authorizer(connection), letsIn('access-1'));
    const { signal } = await shown;
    expect(connection.waits).toEqual({ count: 1, now: 1 });
    connection.closing.abort(REASON);
    await expect(entering).rejects.toBe(REASON);
    expect(signal.reason).toBe(REASON);
    expect(connection.waits).toEqual({ count: 1, now: 0 });
    await vi.waitFor(() => expect(kept('pending')).toEqual([]));
    expect(to(TOKEN)).toEqual([]);
  });

  test('an application that does not heed that is not waited for by the next connection', async () => {
    const { options, pages } = world();
    const { authorize, shown } = slowPerson();
    const first = vi.fn(authorize);
    const auth = oauth({
      ...options,
      authorize: (page, context) => (first.mock.calls.length ? options.authorize(page, context) : first(page, context)),
    });
    const connection = connectionTo();
    const entering = enter(auth.authorizer(connection), letsIn('access-1'));
    await shown;
    connection.closing.abort(REASON);
    await expect(entering).rejects.toBe(REASON);
    expect(await enter(auth.authorizer(connectionTo()), letsIn('access-1'))).toMatchObject({ status: 200 });
    expect(pages).toHaveLength(1);
  });

  test('one of two connections closes: the other gets its token', async () => {
    const { options } = world();
    const { authorize, shown, comeBack } = slowPerson();
    const auth = oauth({ ...options, authorize });
    const [one, other] = [connectionTo(), connectionTo()];
    const first = enter(auth.authorizer(one), letsIn('access-1'));
    const second = enter(auth.authorizer(other), letsIn('access-1'));
    const { signal } = await shown;
    expect([one.waits.now, other.waits.now]).toEqual([1, 1]);
    one.closing.abort(REASON);
    await expect(first).rejects.toBe(REASON);
    expect([one.waits.now, other.waits.now]).toEqual([0, 1]);
    expect(signal.aborted).toBe(false);
    await comeBack();
    expect(await second).toMatchObject({ status: 200 });
    expect(other.waits).toEqual({ count: 1, now: 0 });
    expect([one.signIns(), other.signIns()]).toEqual([0, 1]);
  });

  test('a connection that comes later waits too; each waits once, however many of its requests do', async () => {
    const { options, pages } = world();
    const { authorize, shown, comeBack } = slowPerson();
    const auth = oauth({ ...options, authorize });
    const [one, late, idle] = [connectionTo(), connectionTo(), connectionTo()];
    auth.authorizer(idle);
    const early = auth.authorizer(one);
    const all = Array.from({ length: 20 }, () => enter(early, letsIn('access-1')));
    await shown;
    const after = auth.authorizer(late);
    all.push(...Array.from({ length: 20 }, () => enter(after, letsIn('access-1'))));
    expect([one.waits, late.waits]).toEqual([
      { count: 1, now: 1 },
      { count: 1, now: 1 },
    ]);
    await comeBack();
    for (const { status } of await Promise.all(all)) expect(status).toBe(200);
    expect([one.waits, late.waits, idle.waits]).toEqual([
      { count: 1, now: 0 },
      { count: 1, now: 0 },
      { count: 0, now: 0 },
    ]);
    // All of them are told, also who did not wait.
    expect([one.signIns(), late.signIns(), idle.signIns()]).toEqual([1, 1, 1]);
    expect(pages).toEqual([]);
  });

  test('it fails: everybody is told the same, and no clock stands still any more', async () => {
    const { options } = world();
    const { authorize, shown, refuse } = slowPerson();
    const auth = oauth({ ...options, authorize });
    const connections = [connectionTo(), connectionTo()];
    const all = connections.map((connection) => enter(auth.authorizer(connection), letsIn('access-1')));
    await shown;
    const error = new Error('The person went away');
    refuse(error);
    for (const one of all) await expect(one).rejects.toBe(error);
    expect(connections.map(({ waits }) => waits.now)).toEqual([0, 0]);
    expect(connections.map(({ signIns }) => signIns())).toEqual([0, 0]);
  });

  test('requests with a token that is still good are not held up', async () => {
    const { options } = world();
    const { authorize, shown, comeBack } = slowPerson();
    const auth = oauth({
      ...options,
      authorize: (page, context) =>
        page.searchParams.has('scope') ? authorize(page, context) : options.authorize(page, context),
    });
    const authorizer = auth.authorizer(connectionTo());
    await enter(authorizer, letsIn('access-1'));
    const headers = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="more"' };
    const stepping = enter(authorizer, (sent) =>
      sent['authorization'] === 'Bearer access-2' ? { status: 200 } : { status: 403, headers },
    );
    await shown;
    expect(await enter(authorizer, letsIn('access-1'))).toMatchObject({ status: 200, tries: 0 });
    await comeBack();
    expect(await stepping).toMatchObject({ status: 200 });
  });
});

describe('a browser visit', () => {
  function withBrowser(authorize: BrowserVisit['authorize']) {
    const given = world();
    const close = vi.fn(async () => {});
    const begin = vi.fn(async () => ({ redirectUri: REDIRECT, authorize, close }));
    const browser: Browser = { begin };
    const registrar = new Registrar({ grantTypes: ['authorization_code'] });
    const grant = new CodeGrant({ issuer: undefined, registrar, browser: async () => browser });
    return { ...given, auth: clientAuth(grant, sessionOptions('oauth', given.options)), close, begin };
  }

  test('is closed when the person came back, and begins where the client is registered', async () => {
    const { auth, close, begin } = withBrowser(async (page) => callbackTo(page, { code: 'c' }));
    await enter(auth.authorizer(connectionTo()), letsIn('access-1'));
    expect(close).toHaveBeenCalledTimes(1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    await enter(auth.authorizer(connectionTo()), letsIn('access-3'));
    vi.useRealTimers();
    expect(begin.mock.calls).toEqual([[undefined], [REDIRECT]]);
  });

  test('is closed when it fails', async () => {
    const { auth, close } = withBrowser(async (page) => callbackTo(page, { error: 'access_denied' }));
    await failureOf(enter(auth.authorizer(connectionTo()), letsIn()));
    expect(close).toHaveBeenCalledTimes(1);
  });

  test('is closed when the client cannot be registered, and the page was never shown', async () => {
    const authorize = vi.fn();
    const { auth, close, change } = withBrowser(authorize);
    change({ [`POST ${AS}/register`]: { status: 400, json: { error: 'invalid_client_metadata' } } });
    expect(await failureOf(enter(auth.authorizer(connectionTo()), letsIn()))).toMatchObject({
      code: 'invalid_client_metadata',
    });
    expect(close).toHaveBeenCalledTimes(1);
    expect(authorize).not.toHaveBeenCalled();
  });

  test('is closed when the connection is', async () => {
    const shown = deferred<void>();
    const { auth, close } = withBrowser(() => {
      shown.resolve();
      return new Promise(() => {});
    });
    const connection = connectionTo();
    const entering = enter(auth.authorizer(connection), letsIn());
    await shown.promise;
    connection.closing.abort(REASON);
    await expect(entering).rejects.toBe(REASON);
    await vi.waitFor(() => expect(close).toHaveBeenCalledTimes(1));
  });
});

test('a connection that is closed already begins nothing', async () => {
  const { options, lines, pages } = world();
  const connection = connectionTo();
  const auth = oauth(options);
  const authorizer = auth.authorizer(connection);
  connection.closing.abort(REASON);
  await expect(Promise.resolve(authorizer.headers(POST))).rejects.toBe(REASON);
  const challenge = { ...POST, status: 401, header: () => undefined, sent: {}, tries: 0 } as const;
  await expect(Promise.resolve(authorizer.onChallenge(challenge))).rejects.toBe(REASON);
  expect(lines()).toEqual([]);
  const closed = connectionTo();
  closed.closing.abort(REASON);
  auth.authorizer(closed);
  await enter(auth.authorizer(connectionTo()), letsIn('access-1'));
  expect([connection.signIns(), closed.signIns()]).toEqual([0, 0]);
  expect(pages).toHaveLength(1);
});

test('a request for metadata that nobody waits for any more is given up', async () => {
  const { options, change, lines } = world();
  const asked = deferred<void>();
  change({
    [`GET ${PRM}`]: () => {
      asked.resolve();
      return new Promise(() => {});
    },
  });
  const signals: AbortSignal[] = [];
  const send: typeof fetch = (input, init) => {
    if (init?.signal) signals.push(init.signal);
    return options.fetch?.(input, init) ?? Promise.reject();
  };
  const connection = connectionTo();
  const entering = enter(oauth({ ...options, fetch: send }).authorizer(connection), letsIn());
  await asked.promise;
  connection.closing.abort(REASON);
  await expect(entering).rejects.toBe(REASON);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(lines()).toHaveLength(1);
});

test('a refresh is brought to its end: what it gave is kept, although nobody waits', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const { options, change, kept, to } = world();
    const auth = oauth(options);
    const connection = connectionTo();
    const authorizer = auth.authorizer(connection);
    await enter(authorizer, letsIn('access-1'));
    const [asked, answer] = [deferred<Asked>(), deferred<void>()];
    change({
      async [TOKEN](request) {
        asked.resolve(request);
        await answer.promise;
        return tokens(2, request);
      },
    });
    vi.setSystemTime(Date.now() + 3600_000);
    const entering = enter(authorizer, letsIn('access-2'));
    await asked.promise;
    connection.closing.abort(REASON);
    await expect(entering).rejects.toBe(REASON);
    // Meanwhile somebody connects, and waits for the same.
    const next = enter(auth.authorizer(connectionTo()), letsIn('access-2'));
    answer.resolve();
    expect(await next).toMatchObject({ status: 200, tries: 0 });
    expect(kept('tokens')).toMatchObject([{ accessToken: 'access-2', refreshToken: 'refresh-2' }]);
    expect(to(TOKEN)).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

test('what an application does not come to an end with keeps nobody else waiting', async () => {
  const [asked, { fetch }] = [deferred<void>(), world()];
  const assertion = vi.fn(async () => 'jwt');
  assertion.mockImplementationOnce(() => {
    asked.resolve();
    return new Promise(() => {});
  });
  const auth = workloadIdentity({ fetch, clientId: 'job', issuer: AS, assertion });
  const connection = connectionTo();
  const entering = enter(auth.authorizer(connection), letsIn());
  await asked.promise;
  connection.closing.abort(REASON);
  await expect(entering).rejects.toBe(REASON);
  expect(await enter(auth.authorizer(connectionTo()), letsIn('access-1'))).toMatchObject({ status: 200 });
});

test('who waits for another process can be given up', async () => {
  const store = memoryStore();
  const { options } = world();
  const [begun, end] = [deferred<void>(), deferred<void>()];
  const key = SERVER_KEY;
  const other = store.exclusive(
    key,
    () => {
      begun.resolve();
      return end.promise;
    },
    new AbortController().signal,
  );
  await begun.promise;
  const connection = connectionTo();
  const entering = enter(oauth({ ...options, store }).authorizer(connection), letsIn('access-1'));
  await new Promise((resolve) => setImmediate(resolve));
  connection.closing.abort(REASON);
  await expect(entering).rejects.toBe(REASON);
  end.resolve();
  await other;
});

test('a connection has two listeners at most, whatever goes on, and none when all is done', async () => {
  const { options } = world();
  const connection = connectionTo();
  const { signal } = connection;
  let [now, most] = [0, 0];
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    now++;
    most = Math.max(most, now);
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    now--;
    remove(...given);
  };
  const authorizer = oauth(options).authorizer(connection);
  await Promise.all(Array.from({ length: 30 }, () => enter(authorizer, letsIn('access-1'))));
  // The one that is left forgets the connection when it ends.
  expect({ now, most }).toEqual({ now: 1, most: 2 });
});

test('a refresh is no sign-in, and the tokens of another process are only if somebody signed in there', async () => {
  const { options } = world();
  const [one, other] = [connectionTo(), connectionTo()];
  const [first, second] = [oauth(options).authorizer(one), oauth(options).authorizer(other)];
  await enter(first, letsIn('access-1'));
  await enter(second, letsIn('access-1'));
  await enter(first, letsIn('access-2'));
  await enter(second, letsIn('access-2'));
  expect([one.signIns(), other.signIns()]).toEqual([1, 1]);
});

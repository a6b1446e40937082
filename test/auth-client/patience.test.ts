/** People are asked when a call needs it: not for what belongs to no call, not again and again, and not for ever. */

import { memoryStore, oauth } from 'mcpp/auth/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../http-client/raw-server.ts';
import {
  AS,
  authorizationServer,
  callbackTo,
  connectionTo,
  enter,
  failureOf,
  letsIn,
  MCP,
  PRM,
  refused,
  resourceOf,
  SERVER_KEY,
  tooLittle,
  world,
} from './world.ts';

const TOKEN = `POST ${AS}/token`;
const SERVER = new URL(MCP);
const background = { isBackground: true };
const INVALID = { status: 400, json: { error: 'invalid_grant' } };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

function pass(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1000);
}

async function turns(): Promise<void> {
  for (let count = 0; count < 50; count++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a request that belongs to no call', () => {
  test('asks nobody, and the server is heard to refuse it', async () => {
    const { options, pages, lines } = world();
    const authorizer = oauth(options).authorizer(connectionTo());
    for (const guard of [letsIn(), () => tooLittle('more')]) {
      const { status } = await enter(authorizer, guard, SERVER, background);
      expect([401, 403]).toContain(status);
    }
    expect(pages).toEqual([]);
    expect(lines()).toEqual([]);
  });

  test('is let in by a refresh, but no further', async () => {
    const { options, pages, change, to } = world();
    const authorizer = oauth(options).authorizer(connectionTo());
    await enter(authorizer, letsIn('access-1'));
    expect(await enter(authorizer, letsIn('access-2'), SERVER, background)).toMatchObject({ status: 200, tries: 1 });
    expect(to(TOKEN)[1]?.fields['grant_type']).toBe('refresh_token');
    pass(60);
    change({ [TOKEN]: INVALID });
    expect(await enter(authorizer, letsIn(), SERVER, background)).toMatchObject({ status: 401 });
    expect(pages).toHaveLength(1);
  });

  test('is let in by what somebody has signed in for meanwhile', async () => {
    const { options, pages } = world();
    const [one, other] = [oauth(options).authorizer(connectionTo()), oauth(options).authorizer(connectionTo())];
    expect(await one.headers({ method: 'GET', url: SERVER, ...background })).toEqual({});
    await enter(other, letsIn('access-1'));
    expect(await enter(one, letsIn('access-1'), SERVER, background)).toMatchObject({ status: 200 });
    expect(pages).toHaveLength(1);
  });
});

describe('a person who has just signed in', () => {
  test('is not asked again for a minute, whatever the server says of the token', async () => {
    const { options, pages, change } = world();
    const authorizer = oauth(options).authorizer(connectionTo());
    await enter(authorizer, letsIn('access-1'));
    change({ [TOKEN]: INVALID });
    pass(59);
    const error = await failureOf(enter(authorizer, letsIn()));
    expect(error).toMatchObject({ code: 'invalid_token', isRetryable: false });
    expect(pages).toHaveLength(1);
    pass(1);
    expect(await failureOf(enter(authorizer, letsIn()))).toMatchObject({ code: 'invalid_grant' });
    expect(pages).toHaveLength(2);
  });

  test('is asked for more, and by another authorization server', async () => {
    const NEW = 'https://new.example.com';
    const { options, pages, change } = world();
    const authorizer = oauth(options).authorizer(connectionTo());
    await enter(authorizer, letsIn('access-1'));
    const more = refused('Bearer scope="more"');
    change({
      [TOKEN]: (asked) =>
        asked.fields['refresh_token'] ? INVALID : { json: { access_token: 'access-2', token_type: 'Bearer' } },
    });
    await enter(authorizer, (sent) => (sent['authorization'] === 'Bearer access-2' ? { status: 200 } : more));
    change({ [`GET ${PRM}`]: { json: resourceOf([NEW]) }, ...authorizationServer(NEW) });
    await enter(authorizer, letsIn('access-new.example.com-1'));
    expect(pages.map(({ origin, searchParams }) => [origin, searchParams.get('scope')])).toEqual([
      [AS, null],
      [AS, 'more'],
      [NEW, null],
    ]);
  });

  test('and said no is not asked again for half a minute', async () => {
    const { options } = world();
    const authorize = vi.fn(async (page: URL) => callbackTo(page, { error: 'access_denied' }));
    const authorizer = oauth({ ...options, authorize }).authorizer(connectionTo());
    const first = await failureOf(enter(authorizer, letsIn()));
    expect(first).toMatchObject({ code: 'access_denied' });
    pass(29);
    expect(await failureOf(enter(authorizer, letsIn()))).toBe(first);
    expect(authorize).toHaveBeenCalledTimes(1);
    pass(1);
    await failureOf(enter(authorizer, letsIn()));
    expect(authorize).toHaveBeenCalledTimes(2);
  });
});

describe('a sign-in that nobody waits for', () => {
  /** Someone who sees the page and does nothing. */
  function idler() {
    const signals: AbortSignal[] = [];
    const authorize = (_page: URL, { signal }: { signal: AbortSignal }): Promise<URL> => {
      signals.push(signal);
      return new Promise(() => {});
    };
    return { signals, authorize };
  }

  test('ends with the last call that waited for it, though the connection stays', async () => {
    const { options, kept } = world();
    const { signals, authorize } = idler();
    const connection = connectionTo();
    const authorizer = oauth({ ...options, authorize }).authorizer(connection);
    const [one, other] = [new AbortController(), new AbortController()];
    const calls = [one, other].map(({ signal }) => enter(authorizer, letsIn(), SERVER, { signal }));
    await eventually(() => signals.length > 0);
    const standing = enter(authorizer, letsIn(), SERVER, background);
    expect(connection.waits).toEqual({ count: 1, now: 1 });
    const reason = new Error('The call was given up');
    one.abort(reason);
    await expect(calls[0]).rejects.toBe(reason);
    expect([signals[0]?.aborted, connection.waits.now]).toEqual([false, 1]);
    other.abort(reason);
    await expect(calls[1]).rejects.toBe(reason);
    expect(signals[0]?.aborted).toBe(true);
    await expect(standing).rejects.toBe(reason);
    expect(connection.waits.now).toBe(0);
    expect(kept('pending')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    [undefined, 10 * 60_000],
    [5000, 5000],
  ])('ends by itself (signInTimeoutMs: %j)', async (signInTimeoutMs, milliseconds) => {
    const { options, kept } = world();
    const { signals, authorize } = idler();
    const connection = connectionTo();
    const failure = failureOf(
      enter(oauth({ ...options, authorize, signInTimeoutMs }).authorizer(connection), letsIn()),
    );
    await eventually(() => signals.length > 0);
    await vi.advanceTimersByTimeAsync(milliseconds - 1);
    expect(signals[0]?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await failure).toMatchObject({ code: 'authorization_timeout', isRetryable: false });
    expect(signals[0]?.aborted).toBe(true);
    expect(connection.waits.now).toBe(0);
    expect(kept('pending')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([0, -1, Number.NaN, '5'])('has a limit that is a number: %j is none', (signInTimeoutMs) => {
    expect(() => oauth({ signInTimeoutMs: signInTimeoutMs as number })).toThrow('"signInTimeoutMs"');
  });
});

test('who waits for the person of another process waits for a person', async () => {
  const store = memoryStore();
  const { options } = world();
  let end = (): void => {};
  const busy = new Promise<void>((resolve) => {
    end = resolve;
  });
  const other = store.exclusive(SERVER_KEY, () => busy, new AbortController().signal);
  const connection = connectionTo();
  const entering = enter(oauth({ ...options, store }).authorizer(connection), letsIn('access-1'));
  await eventually(() => vi.getTimerCount() > 0);
  await vi.advanceTimersByTimeAsync(249);
  expect(connection.waits.now).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(connection.waits.now).toBe(1);
  end();
  await other;
  expect(await entering).toMatchObject({ status: 200 });
  expect(connection.waits.now).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('a refresh that hangs holds nobody up while the token is good', async () => {
  const { options, change, to } = world();
  const authorizer = oauth(options).authorizer(connectionTo());
  await enter(authorizer, letsIn('access-1'));
  change({ [TOKEN]: () => new Promise(() => {}) });
  pass(3580);
  for (let calls = 0; calls < 3; calls++) {
    expect(await enter(authorizer, letsIn('access-1'))).toMatchObject({ status: 200, tries: 0 });
    await eventually(() => to(TOKEN).length > 1);
    await turns();
  }
  expect(to(TOKEN)).toHaveLength(2);
});

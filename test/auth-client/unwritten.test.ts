/** Tokens that the store cannot write, for instance because the disk is full. */

import { readFileSync } from 'node:fs';
import promises, { mkdtemp, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CredentialStore, fileStore, memoryStore, oauth } from 'mcpp/auth/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AS, type Asked, connectionTo, enter, letsIn, MCP, TOKENS_KEY, tokens, world } from './world.ts';

const TOKEN = `POST ${AS}/token`;
const POST = { method: 'POST', url: new URL(MCP) };

let lines: string[];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(String(line)));
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** A store whose disk can be full. */
function fillable(inner: CredentialStore = memoryStore()) {
  const disk = { isFull: false, isUnreadable: false };
  const store: CredentialStore = {
    ...inner,
    get: (key) => (disk.isUnreadable ? Promise.reject(new Error('EMFILE')) : inner.get(key)),
    set: (key, value) => (disk.isFull ? Promise.reject(new Error('ENOSPC')) : inner.set(key, value)),
  };
  return { store, disk, inner };
}

/** An authorization server that accepts each refresh token once, and withdraws everything if one comes twice. */
function once() {
  const used = new Set<unknown>();
  let given = 0;
  return (asked: Asked) => {
    const { grant_type, refresh_token } = asked.fields;
    if (grant_type === 'refresh_token' && used.has(refresh_token))
      return { status: 400, json: { error: 'invalid_grant' } };
    used.add(refresh_token);
    return tokens(++given, asked);
  };
}

/** Somebody has signed in for an hour, and then the disk is full. */
async function signedIn() {
  const filled = fillable();
  const given = world({ [TOKEN]: once() });
  const options = { ...given.options, store: filled.store };
  const authorizer = oauth(options).authorizer(connectionTo());
  await enter(authorizer, letsIn('access-1'));
  filled.disk.isFull = true;
  const refreshTokens = (): unknown[] => given.to(TOKEN).flatMap(({ fields }) => fields['refresh_token'] ?? []);
  return { ...given, ...filled, options, authorizer, refreshTokens };
}

const pass = (seconds: number): void => void vi.setSystemTime(Date.now() + seconds * 1000);

test('refreshed tokens that cannot be written are used, and no refresh token is sent twice', async () => {
  const { authorizer, refreshTokens, pages, inner } = await signedIn();
  for (let hour = 2; hour <= 4; hour++) {
    pass(3600);
    expect(await authorizer.headers(POST)).toEqual({ authorization: `Bearer access-${hour}` });
  }
  expect(refreshTokens()).toEqual(['refresh-1', 'refresh-2', 'refresh-3']);
  expect(pages).toHaveLength(1);
  expect(await inner.get(TOKENS_KEY)).toMatchObject({ refreshToken: 'refresh-1' });
  expect(lines).toEqual([
    'mcpp: New credentials could not be written to the store: ENOSPC. They are used, kept in memory, and written when that works again.',
  ]);
});

test('they are written when the disk has room again, without waiting for the next refresh', async () => {
  const { authorizer, inner, disk } = await signedIn();
  pass(3600);
  await authorizer.headers(POST);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await inner.get(TOKENS_KEY)).toMatchObject({ refreshToken: 'refresh-1' });
  disk.isFull = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await inner.get(TOKENS_KEY)).toMatchObject({ accessToken: 'access-2', refreshToken: 'refresh-2' });
  expect(vi.getTimerCount()).toBe(0);
});

test('others in the process who use the same store use them, too', async () => {
  const { authorizer, options, refreshTokens } = await signedIn();
  pass(3600);
  await authorizer.headers(POST);
  const other = oauth(options).authorizer(connectionTo());
  expect(await other.headers(POST)).toEqual({ authorization: 'Bearer access-2' });
  expect(refreshTokens()).toEqual(['refresh-1']);
});

test('what another process has written meanwhile is used in their place, and not overwritten', async () => {
  const { authorizer, options, inner, disk } = await signedIn();
  pass(3600);
  await authorizer.headers(POST);
  const record = (await inner.get(TOKENS_KEY)) as object;
  const theirs = {
    ...record,
    accessToken: 'theirs',
    expiresAt: Date.now() + 3_600_000,
    refreshAt: Date.now() + 3_500_000,
  };
  await inner.set(TOKENS_KEY, theirs);
  disk.isFull = false;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await inner.get(TOKENS_KEY)).toEqual(theirs);
  expect(await oauth(options).authorizer(connectionTo()).headers(POST)).toEqual({ authorization: 'Bearer theirs' });
});

test('a store that can be neither written nor read for a moment loses nothing either', async () => {
  const { authorizer, disk, inner, refreshTokens, change } = await signedIn();
  const answer = once();
  change({
    [TOKEN]: (asked) => {
      disk.isUnreadable = true;
      return answer(asked);
    },
  });
  pass(3600);
  await authorizer.headers(POST);
  disk.isUnreadable = false;
  disk.isFull = false;
  await vi.advanceTimersByTimeAsync(5000);
  expect(await inner.get(TOKENS_KEY)).toMatchObject({ refreshToken: 'refresh-1', source: 'refresh' });
  expect(refreshTokens()).toEqual(['refresh-1']);
});

test('the tokens and the registration of a first sign-in that cannot be written are used', async () => {
  const { store, disk } = fillable();
  const { options, pages, lines: requests } = world({ [TOKEN]: once() });
  disk.isFull = true;
  const authorizer = oauth({ ...options, store }).authorizer(connectionTo());
  expect(await enter(authorizer, letsIn('access-1'))).toMatchObject({ status: 200 });
  pass(3600);
  expect(await authorizer.headers(POST)).toEqual({ authorization: 'Bearer access-2' });
  expect([pages.length, requests().filter((line) => line === `POST ${AS}/register`).length]).toEqual([1, 1]);
});

test('tokens that cannot be taken out of the store make forget() fail', async () => {
  const { options, disk, inner } = await signedIn();
  const auth = oauth(options);
  pass(3600);
  await auth.authorizer(connectionTo()).headers(POST);
  await expect(auth.forget(MCP)).rejects.toThrow('ENOSPC');
  disk.isFull = false;
  await auth.forget(MCP);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await inner.get(TOKENS_KEY)).toBeUndefined();
});

test('a file on a full disk: the refresh works, and the file has the new tokens once there is room', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mcpp-full-'));
  try {
    const path = join(folder, 'credentials.json');
    const given = world({ [TOKEN]: once() });
    const authorizer = oauth({ ...given.options, store: fileStore({ path }) }).authorizer(connectionTo());
    await enter(authorizer, letsIn('access-1'));
    const { open } = promises;
    let isFull = true;
    vi.spyOn(promises, 'open').mockImplementation(async (file, ...rest) => {
      const handle = await open(file, ...rest);
      if (isFull && String(file).endsWith('.tmp')) {
        handle.writeFile = () => Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
      }
      return handle;
    });
    syncBuiltinESMExports();
    for (let hour = 2; hour <= 3; hour++) {
      pass(3600);
      expect(await authorizer.headers(POST)).toEqual({ authorization: `Bearer access-${hour}` });
    }
    expect(lines).toEqual([
      expect.stringContaining(`The credentials in ${path} cannot be read or written: the system says ENOSPC.`),
    ]);
    expect(readFileSync(path, 'utf8')).toContain('refresh-1');
    isFull = false;
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    await vi.waitFor(() => expect(readFileSync(path, 'utf8')).toContain('refresh-3'));
    expect(given.to(TOKEN).map(({ fields }) => fields['refresh_token'])).toEqual([undefined, 'refresh-1', 'refresh-2']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

import { setMaxListeners } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AuthError } from '../errors.ts';
import { fileStore } from './file-store.ts';
import { openFileStore as openNone } from './no-file-store.ts';
import { defaultPath, openFileStore } from './node-file-store.ts';
import { takeLock } from './node-lock.ts';

let folder: string;
let path: string;
const { signal } = new AbortController();
const modeOf = (file: string): number => statSync(file).mode & 0o777;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcpp-store-'));
  path = join(folder, 'made', 'credentials.json');
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

async function failure(promise: Promise<unknown>): Promise<AuthError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AuthError)) throw new Error('That did not fail with an AuthError');
  return error;
}

test('there is one store for each file', () => {
  expect(fileStore({ path })).toBe(fileStore({ path }));
  expect(fileStore({ path: `${path}2` })).not.toBe(fileStore({ path }));
  expect(fileStore()).toBe(fileStore());
});

test('what is kept is one JSON object in the file, and comes back from it', async () => {
  const store = fileStore({ path });
  expect(await store.get('a')).toBeUndefined();
  await store.set('a', { token: 'x' });
  await store.set('__proto__', ['b']);
  expect(readFileSync(path, 'utf8')).toBe('{"format":1,"credentials":{"a":{"token":"x"},"__proto__":["b"]}}');
  expect(await fileStore({ path }).get('__proto__')).toEqual(['b']);
  await store.set('a', undefined);
  await store.set('never there', undefined);
  expect(readFileSync(path, 'utf8')).toBe('{"format":1,"credentials":{"__proto__":["b"]}}');
});

test('only the owner may read and write the file, and what was made for it', async () => {
  const store = fileStore({ path });
  await store.set('a', 1);
  expect([path, join(folder, 'made'), `${path}.locks`].map(modeOf)).toEqual([0o600, 0o700, 0o700]);
});

test('a file that others may read is closed to them before it is read', async () => {
  mkdirSync(join(folder, 'made'));
  writeFileSync(path, '{"format":1,"credentials":{"a":1}}');
  chmodSync(path, 0o644);
  expect(await fileStore({ path }).get('a')).toBe(1);
  expect(modeOf(path)).toBe(0o600);
});

test('the folder of the platform is ours and closed to others; one that somebody chose stays as it is', async () => {
  vi.stubEnv('XDG_CONFIG_HOME', folder);
  vi.spyOn(process, 'platform', 'get').mockReturnValue('linux');
  mkdirSync(join(folder, 'mcpp'));
  mkdirSync(join(folder, 'chosen'));
  for (const one of ['mcpp', 'chosen']) chmodSync(join(folder, one), 0o755);
  await fileStore().set('a', 1);
  await fileStore({ path: join(folder, 'chosen', 'file') }).set('a', 1);
  expect(readdirSync(join(folder, 'mcpp')).sort()).toEqual(['credentials.json', 'credentials.json.locks']);
  expect(['mcpp', 'chosen'].map((one) => modeOf(join(folder, one)))).toEqual([0o700, 0o755]);
});

test.each([
  ['linux', {}, '/home/me/.config/mcpp/credentials.json'],
  ['linux', { XDG_CONFIG_HOME: '/config' }, '/config/mcpp/credentials.json'],
  ['freebsd', { XDG_CONFIG_HOME: 'relative' }, '/home/me/.config/mcpp/credentials.json'],
  ['darwin', { XDG_CONFIG_HOME: '/config' }, '/home/me/Library/Application Support/mcpp/credentials.json'],
  ['win32', { APPDATA: 'C:\\Data' }, 'C:\\Data\\mcpp\\credentials.json'],
  ['win32', {}, '\\home\\me\\AppData\\Roaming\\mcpp\\credentials.json'],
] as const)('on %s with %j credentials are in %s', (platform, env, expected) => {
  expect(defaultPath(platform, env, '/home/me')).toBe(expected);
});

test.each(['', '\n'])('an empty file (%j) is an empty store', async (text) => {
  mkdirSync(join(folder, 'made'));
  writeFileSync(path, text);
  const store = fileStore({ path });
  expect(await store.get('a')).toBeUndefined();
  await store.set('a', 1);
  expect(await store.get('a')).toBe(1);
});

test.each([
  ['{"format":1,"credentials":{"a":{"token":"secret', 'it is not JSON'],
  ['"secret"', 'its "format" is not 1'],
  ['null', 'its "format" is not 1'],
  ['{"format":2,"credentials":{}}', 'its "format" is not 1'],
  ['{"format":1,"secret":{}}', 'it has no "credentials"'],
])('a damaged file (%s) is named, and never written over', async (text, why) => {
  mkdirSync(join(folder, 'made'));
  writeFileSync(path, text);
  const store = fileStore({ path });
  const failures = [await failure(store.get('a')), await failure(store.set('a', 1))];
  for (const error of failures) {
    expect(error.code).toBe('store_damaged');
    expect(error.message).toContain(`The credentials in ${path} cannot be read: ${why}`);
    expect(error.message).toContain('move it away');
    expect(inspect(error)).not.toContain('secret');
  }
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(readdirSync(`${path}.locks`)).toEqual([]);
});

test('a file of another user, a symbolic link and what is no file are refused', async () => {
  mkdirSync(join(folder, 'made'));
  writeFileSync(path, '');
  symlinkSync(path, join(folder, 'link'));
  expect((await failure(fileStore({ path: join(folder, 'link') }).set('a', 1))).message).toContain('symbolic link');
  expect((await failure(fileStore({ path: folder }).get('a'))).message).toContain('not a regular file');
  const owner = process.getuid?.() ?? 0;
  vi.spyOn(process, 'getuid').mockReturnValue(owner + 1);
  const error = await failure(fileStore({ path }).get('a'));
  expect([error.code, error.message]).toEqual([
    'store_refused',
    `${path} is not used to keep credentials: it belongs to another user (${owner}, and this is ${owner + 1})`,
  ]);
});

test('a folder that cannot be made is told by the code of the system', async () => {
  writeFileSync(join(folder, 'made'), '');
  const error = await failure(fileStore({ path }).set('a', 1));
  expect([error.code, error.message]).toEqual([
    'store_failed',
    `The credentials in ${path} cannot be read or written: the system says EEXIST`,
  ]);
});

test('two stores on one file take turns, and give each other what they keep', async () => {
  const stores = [
    fileStore({ path }),
    fileStore({ path }),
    fileStore({ path: join(folder, 'made', '.', 'credentials.json') }),
  ];
  setMaxListeners(0, signal);
  const increments = stores.flatMap((store) =>
    Array.from({ length: 5 }, () =>
      store.exclusive('n', async () => store.set('n', Number((await store.get('n')) ?? 0) + 1), signal),
    ),
  );
  const others = stores.map((store, index) => store.set(`other ${index}`, index));
  await Promise.all([...increments, ...others]);
  expect(await fileStore({ path }).get('n')).toBe(15);
  expect(await Promise.all([0, 1, 2].map((index) => stores[0]?.get(`other ${index}`)))).toEqual([0, 1, 2]);
});

test('a task that fails tells so and gives the lock back; who gives up waiting is told its reason', async () => {
  const store = fileStore({ path });
  await expect(store.exclusive('a', () => Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
  const patience = new AbortController();
  const reason = new Error('enough');
  await store.exclusive(
    'a',
    async () => {
      const waiting = store.exclusive('a', async () => 'never', patience.signal);
      patience.abort(reason);
      await expect(waiting).rejects.toBe(reason);
    },
    signal,
  );
  expect(await store.exclusive('a', async () => 'free', signal)).toBe('free');
});

test('the name of a lock does not tell the key', async () => {
  const store = fileStore({ path });
  await store.exclusive(
    'https://issuer.example',
    async () => {
      expect(readdirSync(`${path}.locks`)).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.\d+\.[0-9a-f.]+\.lock$/)]);
    },
    signal,
  );
});

test('what a writer that crashed left behind is cleared away by the next; nothing else is', async () => {
  mkdirSync(join(folder, 'made'));
  writeFileSync(`${path}.0123456789abcdef.tmp`, '{"format":1,"creden');
  writeFileSync(`${path}.backup.tmp`, '');
  await fileStore({ path }).set('a', 1);
  expect(readdirSync(join(folder, 'made')).sort()).toEqual([
    'credentials.json',
    'credentials.json.backup.tmp',
    'credentials.json.locks',
  ]);
});

test('a file that somebody looks at, and that cannot be replaced therefore, is replaced a moment later', async () => {
  const store = fileStore({ path });
  await store.set('a', 1);
  const busy = (): Promise<never> => Promise.reject(Object.assign(new Error('busy'), { code: 'EPERM' }));
  const rename = vi.spyOn(promises, 'rename').mockImplementationOnce(busy).mockImplementationOnce(busy);
  syncBuiltinESMExports();
  try {
    await store.set('a', 2);
    expect(rename).toHaveBeenCalledTimes(3);
    rename.mockImplementation(busy);
    const error = await failure(store.set('a', 3));
    expect([error.code, error.message]).toEqual([
      'store_failed',
      `The credentials in ${path} cannot be read or written: the system says EPERM`,
    ]);
  } finally {
    rename.mockRestore();
    syncBuiltinESMExports();
  }
  expect(await store.get('a')).toBe(2);
  expect(readdirSync(join(folder, 'made')).sort()).toEqual(['credentials.json', 'credentials.json.locks']);
});

test('who cannot write because others do not stop to says so, and that it may be tried again', async () => {
  const store = openFileStore(path);
  await store.set('a', 1);
  const lock = await takeLock(`${path}.locks`, 'write', signal);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const failed = failure(store.set('a', 2));
  vi.advanceTimersByTime(30_000);
  const error = await failed;
  expect([error.code, error.isRetryable]).toEqual(['store_busy', true]);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  await lock.release();
  expect(await store.get('a')).toBe(1);
});

test('who lost the lock while it wrote changes nothing, and says that it may be tried again', async () => {
  const store = fileStore({ path });
  await store.set('a', 1);
  // The last thing before the new file takes the place of the old one is to look whether the lock is still there.
  const handle = await promises.open(path);
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  vi.spyOn(prototype, 'sync').mockImplementationOnce(async () => {
    for (const lock of readdirSync(`${path}.locks`)) rmSync(join(`${path}.locks`, lock));
  });
  const error = await failure(store.set('a', 2));
  expect([error.code, error.isRetryable]).toEqual(['store_busy', true]);
  expect(await store.get('a')).toBe(1);
  expect(readdirSync(join(folder, 'made')).sort()).toEqual(['credentials.json', 'credentials.json.locks']);
});

test('a store that is printed shows nothing of what is kept', async () => {
  const store = fileStore({ path });
  await store.set('https://issuer.example', { token: 'secret-token' });
  expect(inspect(store, { depth: 9, showHidden: true })).not.toMatch(/secret-token|issuer/);
});

test('where there are no files it says what to use instead', () => {
  expect(() => openNone()).toThrow('pass a store of your own, or memoryStore()');
});

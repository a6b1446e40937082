/** File store on Node: one JSON file that is replaced atomically, and lock files beside it. */

import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, type FileHandle, lstat, mkdir, open, readdir, realpath, rename, unlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, posix, resolve, win32 } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AuthError } from '../errors.ts';
import { memoryStore } from './memory-store.ts';
import { type Lock, takeLock } from './node-lock.ts';
import type { CredentialStore, Json } from './store.ts';

type Values = Map<string, Json>;

const FORMAT = 1;
/** Maximum time that a write waits for the lock, in milliseconds. */
const WRITE_MS = 30_000;
/** Maximum number of attempts to replace a file that another process has open. */
const MOST_TRIES = 10;

/** Opens the store at `path`. Default: `defaultPath`. */
export function openFileStore(path?: string): CredentialStore {
  const file = resolve(path ?? defaultPath(process.platform, process.env, homedir()));
  const locks = `${file}.locks`;

  async function prepare(): Promise<void> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    // A configured folder can contain files of other users, so its permissions stay as they are.
    if (path === undefined) await keepPrivate(await realpath(dirname(file)));
    await mkdir(locks, { recursive: true, mode: 0o700 });
    await keepPrivate(locks);
  }

  function underLock<T>(name: string, signal: AbortSignal, task: (lock: Lock) => Promise<T>): Promise<T> {
    const run = async (): Promise<T> => {
      await told(file, prepare);
      const lock = await told(file, () => takeLock(locks, name, signal), signal);
      try {
        return await task(lock);
      } finally {
        await lock.release();
      }
    };
    return queue.exclusive(join(locks, name), run, signal);
  }

  return {
    async get(key) {
      return (await told(file, () => read(file))).get(key);
    },
    async set(key, value) {
      const patience = new AbortController();
      const timer = setTimeout(() => patience.abort(busy(file)), WRITE_MS);
      const change = async (lock: Lock): Promise<void> => {
        const values = await read(file);
        if (value === undefined && !values.has(key)) return;
        if (value === undefined) values.delete(key);
        else values.set(key, value);
        await write(file, values, lock);
      };
      try {
        await underLock('write', patience.signal, (lock) => told(file, () => change(lock)));
      } finally {
        clearTimeout(timer);
      }
    },
    exclusive(key, task, signal) {
      // Hashed, so that the file names do not reveal the server URLs in the keys.
      const name = createHash('sha256').update(key).digest('hex').slice(0, 32);
      return underLock(name, signal, () => task());
    },
  };
}

/** Lock for tasks of this process, shared by all its stores. Only the first task in the queue waits for the lock file. */
const queue = memoryStore();

/** Returns the path of the credentials file that is usual on the platform. */
export function defaultPath(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  if (platform === 'win32') {
    return win32.join(env['APPDATA'] || win32.join(home, 'AppData', 'Roaming'), 'mcpp', 'credentials.json');
  }
  if (platform === 'darwin') {
    return posix.join(home, 'Library', 'Application Support', 'mcpp', 'credentials.json');
  }
  const config = env['XDG_CONFIG_HOME'];
  const folder = config && posix.isAbsolute(config) ? config : posix.join(home, '.config');
  return posix.join(folder, 'mcpp', 'credentials.json');
}

async function read(file: string): Promise<Values> {
  const text = await readText(file);
  if (text.trim() === '') return new Map();
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw damaged(file, 'it is not JSON');
  }
  const { format, credentials } = (content ?? {}) as { format?: unknown; credentials?: unknown };
  if (format !== FORMAT) throw damaged(file, `its "format" is not ${FORMAT}: another program or version wrote it`);
  if (typeof credentials !== 'object' || credentials === null) throw damaged(file, 'it has no "credentials"');
  return new Map(Object.entries(credentials as Record<string, Json>));
}

async function readText(file: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  let handle: FileHandle;
  try {
    // With `O_NONBLOCK`, opening a named pipe does not block.
    handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    if (codeOf(error) === 'ELOOP') throw refused(file, 'it is a symbolic link: give the path of the file itself');
    throw error;
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw refused(file, 'it is not a regular file');
    checkOwner(file, stats.uid);
    if (isWide(stats.mode)) await handle.chmod(0o600);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

async function write(file: string, values: Values, lock: Lock): Promise<void> {
  await clearLeftovers(file);
  const temporary = `${file}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify({ format: FORMAT, credentials: Object.fromEntries(values) }));
      await handle.sync();
    } finally {
      await handle.close();
    }
    // If this process was suspended, another can have taken the lock and written. Its changes must not be lost.
    if (!(await lock.isHeld())) throw busy(file);
    await replace(temporary, file);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(file));
}

// Windows cannot replace a file while another process, such as a virus scanner, has it open.
async function replace(temporary: string, file: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await rename(temporary, file);
      return;
    } catch (error) {
      if (tries === MOST_TRIES || !/^(EPERM|EACCES|EBUSY)$/.test(codeOf(error))) throw error;
      await pause(tries * 5);
    }
  }
}

// Only the holder of the lock writes, so all temporary files are left from interrupted writes.
async function clearLeftovers(file: string): Promise<void> {
  const name = `${basename(file)}.`;
  for (const found of await readdir(dirname(file))) {
    if (!found.startsWith(name) || !/^[0-9a-f]{16}\.tmp$/.test(found.slice(name.length))) continue;
    await unlink(join(dirname(file), found)).catch(() => {});
  }
}

// Makes the rename durable. Not every platform supports this, and the file is complete in any case.
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

async function keepPrivate(folder: string): Promise<void> {
  const stats = await lstat(folder);
  if (!stats.isDirectory()) throw refused(folder, 'it is not a folder');
  checkOwner(folder, stats.uid);
  if (isWide(stats.mode)) await chmod(folder, 0o700);
}

function isWide(mode: number): boolean {
  return process.platform !== 'win32' && (mode & 0o077) !== 0;
}

function checkOwner(path: string, uid: number): void {
  const me = process.getuid?.();
  if (me !== undefined && me !== uid) throw refused(path, `it belongs to another user (${uid}, and this is ${me})`);
}

/** Turns errors of the file system into an `AuthError` that names the error code. */
async function told<T>(file: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof AuthError || signal?.aborted) throw error;
    const text = `The credentials in ${file} cannot be read or written: the system says ${codeOf(error)}`;
    throw new AuthError('store_failed', text);
  }
}

function damaged(file: string, why: string): AuthError {
  const advice = 'Restore it from a copy, or move it away to start with an empty one and sign in again';
  return new AuthError(
    'store_damaged',
    `The credentials in ${file} cannot be read: ${why}. It was left as it is. ${advice}`,
  );
}

function refused(path: string, why: string): AuthError {
  return new AuthError('store_refused', `${path} is not used to keep credentials: ${why}`);
}

function busy(file: string): AuthError {
  const text = `The credentials in ${file} were not changed: others were writing them for too long`;
  return new AuthError('store_busy', text, { isRetryable: true });
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : 'nothing more';
}

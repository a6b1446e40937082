/** Locks between processes, as files in a folder. */

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync, unlinkSync } from 'node:fs';
import { open, readdir, stat, unlink, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface Lock {
  /** False if another process removed the lock as stale, for instance because this process was suspended for long. */
  isHeld(): Promise<boolean>;
  /** Releases the lock. Never rejects. */
  release(): Promise<void>;
}

const REFRESH_MS = 2000;
const STALE_MS = 10_000;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/**
 * Waits for the lock `name` (letters, digits, hyphens) in an existing folder. A process creates a file with a unique name, then
 * lists the folder. If the lock has a file of another process, the process removes its own file and retries. Of two processes
 * at least one sees the other's file. A held lock does not keep the process alive.
 */
export async function takeLock(folder: string, name: string, signal: AbortSignal): Promise<Lock> {
  const others = new Others(folder, name);
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    const lock = (await others.areThere()) ? undefined : await tryLock(folder, name, others);
    if (lock) return lock;
    const longest = Math.min(FIRST_PAUSE_MS * 1.2 ** tries, LONGEST_PAUSE_MS);
    // Jitter, so that two processes that collided do not collide again.
    await pause(longest * (0.3 + 0.7 * Math.random()), undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function tryLock(folder: string, name: string, others: Others): Promise<Lock | undefined> {
  const own = `${name}.${process.pid}.${machine()}.${randomBytes(12).toString('hex')}.lock`;
  const path = join(folder, own);
  atExit.add(path);
  try {
    const file = await open(path, 'wx', 0o600);
    await file.close();
    if (!(await others.areThere(own))) return hold(path);
  } catch (error) {
    await remove(path);
    throw error;
  }
  await remove(path);
  return undefined;
}

function hold(path: string): Lock {
  const refresh = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, REFRESH_MS);
  refresh.unref();
  return {
    isHeld: () => exists(path),
    async release() {
      clearInterval(refresh);
      await remove(path);
    },
  };
}

/** The lock files of other processes, as seen while waiting for a lock. */
class Others {
  readonly #folder: string;
  readonly #name: string;
  /** Modification time of each file, and since when it is unchanged, in milliseconds of `performance.now()`. */
  readonly #watched = new Map<string, { readonly mtimeMs: number; since: number }>();
  #lookedAt: number = performance.now();

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
  }

  /** True if there is a lock file other than `own`. Removes stale lock files. */
  async areThere(own?: string): Promise<boolean> {
    this.#skipSleep();
    const prefix = `${this.#name}.`;
    const files = (await readdir(this.#folder)).filter((file) => file.startsWith(prefix) && file.endsWith('.lock'));
    for (const file of this.#watched.keys()) if (!files.includes(file)) this.#watched.delete(file);
    let found = false;
    for (const file of files) {
      if (file === own) continue;
      if (await this.#isStale(file)) await removeStale(join(this.#folder, file));
      else found = true;
    }
    return found;
  }

  // After a sleep of the machine, the other processes need time to refresh their files, so the sleep does not count.
  #skipSleep(): void {
    const now = performance.now();
    const unseen = Math.max(0, now - this.#lookedAt - STALE_MS / 4);
    for (const one of this.#watched.values()) one.since += unseen;
    this.#lookedAt = now;
  }

  // Counts how long the file has been seen unchanged, not its age, because the clocks of two machines can differ.
  async #isStale(file: string): Promise<boolean> {
    const [, pid, host] = file.split('.');
    if (host === machine() && isDead(Number(pid))) return true;
    const mtimeMs = await stat(join(this.#folder, file)).then((stats) => stats.mtimeMs, ignoreMissing);
    if (mtimeMs === undefined) return true;
    const watched = this.#watched.get(file);
    if (watched?.mtimeMs === mtimeMs) return this.#lookedAt - watched.since > STALE_MS;
    this.#watched.set(file, { mtimeMs, since: this.#lookedAt });
    return false;
  }
}

function isDead(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

let knownMachine: string | undefined;

// Process ids are valid only within one machine and PID namespace. Two containers can share a hostname or a folder.
function machine(): string {
  knownMachine ??= createHash('sha256')
    .update(hostname())
    .update(orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1')))
    .update(orNothing(() => readlinkSync('/proc/self/ns/pid')))
    .digest('hex')
    .slice(0, 16);
  return knownMachine;
}

function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

/** Lock files of this process, which are removed when the process exits normally. */
const atExit = {
  paths: new Set<string>(),
  add(path: string): void {
    if (this.paths.size === 0) process.on('exit', removeAll);
    this.paths.add(path);
  },
  delete(path: string): void {
    this.paths.delete(path);
    if (this.paths.size === 0) process.off('exit', removeAll);
  },
};

function removeAll(): void {
  for (const path of atExit.paths) {
    try {
      unlinkSync(path);
    } catch {
      // Other processes notice that this process has ended, and remove the file.
    }
  }
}

async function remove(path: string): Promise<void> {
  // A file that cannot be removed is no longer refreshed, so other processes will treat it as stale.
  await unlink(path).catch(() => {});
  atExit.delete(path);
}

async function removeStale(path: string): Promise<void> {
  await unlink(path).catch(ignoreMissing);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

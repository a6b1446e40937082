/**
 * Locks among processes. Whoever wants one puts a file of its own into a folder and then looks: it has the lock if there
 * is no other file of that name in it, else it takes its file back and tries again. Of two who do so at the same time at
 * least one sees the other, so there are never two who have it. As every file has a name that is used once, taking away
 * one that is stale never takes away somebody else's.
 */

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync, unlinkSync } from 'node:fs';
import { open, readdir, stat, unlink, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A lock that somebody has. */
export interface Lock {
  /** False if it was thought to be left behind, for instance because this process was stopped for long. */
  isHeld(): Promise<boolean>;
  /** Lets others have it. Never rejects. */
  release(): Promise<void>;
}

const REFRESH_MS = 2000;
const STALE_MS = 10_000;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/**
 * Waits until nobody else has the lock of this name in a folder that exists. The name is of letters, digits and hyphens.
 * Having it does not keep the process alive.
 */
export async function takeLock(folder: string, name: string, signal: AbortSignal): Promise<Lock> {
  const others = new Others(folder, name);
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    const lock = (await others.areThere()) ? undefined : await tryLock(folder, name, others);
    if (lock) return lock;
    const longest = Math.min(FIRST_PAUSE_MS * 1.2 ** tries, LONGEST_PAUSE_MS);
    // Of different lengths: those who met each other do not meet again.
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

/** The others who want or have a lock, as somebody sees them who waits for it. */
class Others {
  readonly #folder: string;
  readonly #name: string;
  /** How long the file of another has been seen to stay the same. */
  readonly #watched = new Map<string, { readonly mtimeMs: number; since: number }>();
  #lookedAt: number = performance.now();

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
  }

  /** Whether there are any but `own`; those that were left behind are cleared away. */
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

  // A machine that slept wakes everybody at once: the others get their time to refresh.
  #skipSleep(): void {
    const now = performance.now();
    const unseen = Math.max(0, now - this.#lookedAt - STALE_MS / 4);
    for (const one of this.#watched.values()) one.since += unseen;
    this.#lookedAt = now;
  }

  // Clocks of two machines differ, so it is not the age that counts but how long one has been watched.
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

// Process ids mean something within one of these only: two containers may have the same name, or share a folder.
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

/** The files of this process, which are taken away when it ends in the normal way. */
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
      // Whoever wants the lock sees that this process is no more.
    }
  }
}

async function remove(path: string): Promise<void> {
  // What cannot be removed is not refreshed any more, so others will see it as left behind.
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

import { spawnSync } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { takeLock } from './node-lock.ts';

let folder: string;
const { signal } = new AbortController();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcpp-lock-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** Puts in a lock that a process of this or another machine has, or had. */
async function leave(pid: number, machine?: string): Promise<string> {
  const lock = await takeLock(folder, 'own', signal);
  const own =
    readdirSync(folder)
      .find((file) => file.startsWith('own.'))
      ?.split('.') ?? [];
  await lock.release();
  const path = join(folder, `name.${pid}.${machine ?? own[2]}.0123456789abcdef01234567.lock`);
  writeFileSync(path, '');
  return path;
}

function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

/** Each look at the clock is 2 s after the last. */
function quickClock(onLook: (looks: number) => number | undefined = () => undefined): void {
  let now = 1000;
  let looks = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += onLook(looks++) ?? 2000;
    return now;
  });
}

test('a lock is a file that names a process and holds nothing; released, it is gone', async () => {
  const lock = await takeLock(folder, 'name', signal);
  expect(readdirSync(folder)).toEqual([
    expect.stringMatching(new RegExp(`^name\\.${process.pid}\\.[0-9a-f]{16}\\.[0-9a-f]{24}\\.lock$`)),
  ]);
  expect(await lock.isHeld()).toBe(true);
  await lock.release();
  expect(readdirSync(folder)).toEqual([]);
  expect(await lock.isHeld()).toBe(false);
  await lock.release();
});

/** Has so many want it at once, and resolves when each has had it. */
async function stampede(count: number): Promise<void> {
  setMaxListeners(0, signal);
  let holders = 0;
  let turns = 0;
  const take = async (): Promise<void> => {
    const lock = await takeLock(folder, 'name', signal);
    holders++;
    expect(holders).toBe(1);
    turns++;
    await new Promise(setImmediate);
    expect(await lock.isHeld()).toBe(true);
    holders--;
    await lock.release();
  };
  await Promise.all(Array.from({ length: count }, take));
  expect(turns).toBe(count);
  expect(readdirSync(folder)).toEqual([]);
}

test('of 20 who want it at once each gets it, and never two at the same time', () => stampede(20));

test('nor do two get it when all see at once that its owner is dead', async () => {
  await leave(deadPid());
  await stampede(20);
});

test('a lock of a process that lives is waited for, until somebody gives up with a reason', async () => {
  const left = await leave(process.pid);
  const patience = new AbortController();
  const waiting = takeLock(folder, 'name', patience.signal);
  const reason = new Error('enough');
  setImmediate(() => patience.abort(reason));
  await expect(waiting).rejects.toBe(reason);
  expect(readdirSync(folder)).toEqual([expect.stringContaining('name.')]);
  expect(existsSync(left)).toBe(true);
});

test('another machine knows nothing of our processes: its lock is stale when it was not refreshed for 10 s', async () => {
  const left = await leave(deadPid(), 'another-machine');
  // However old it is: the clock of the other machine may be wrong.
  utimesSync(left, 1, 1);
  let looks = 0;
  quickClock((count) => {
    looks = count;
    return undefined;
  });
  const lock = await takeLock(folder, 'name', signal);
  expect(looks * 2000).toBeGreaterThan(10_000);
  expect(existsSync(left)).toBe(false);
  await lock.release();
});

test('one that is refreshed is nobody else’s, however long that takes', async () => {
  const left = await leave(deadPid(), 'another-machine');
  const patience = new AbortController();
  quickClock((looks) => {
    if (looks % 4 === 0) utimesSync(left, looks, looks);
    if (looks === 20) patience.abort('40 s are over');
    return undefined;
  });
  await expect(takeLock(folder, 'name', patience.signal)).rejects.toBe('40 s are over');
  expect(existsSync(left)).toBe(true);
});

test('a machine that slept for an hour does not take the others for dead when it wakes', async () => {
  const left = await leave(process.pid);
  const patience = new AbortController();
  quickClock((looks) => {
    if (looks === 16) patience.abort('awake');
    return looks === 8 ? 3_600_000 : 100;
  });
  await expect(takeLock(folder, 'name', patience.signal)).rejects.toBe('awake');
  expect(existsSync(left)).toBe(true);
});

test('while it is held it is refreshed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: 1_000_000_000_000 });
  try {
    const lock = await takeLock(folder, 'name', signal);
    const [file = ''] = readdirSync(folder);
    const { stat } = await import('node:fs/promises');
    vi.advanceTimersByTime(2000);
    await vi.waitFor(async () => expect((await stat(join(folder, file))).mtimeMs).toBe(1_000_000_002_000));
    await lock.release();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('who lost its lock does not take away the one of its successor', async () => {
  const lock = await takeLock(folder, 'name', signal);
  const [file = ''] = readdirSync(folder);
  rmSync(join(folder, file));
  const next = await takeLock(folder, 'name', signal);
  expect(await lock.isHeld()).toBe(false);
  await lock.release();
  expect(await next.isHeld()).toBe(true);
  await next.release();
});

test('nothing listens for the end of the process when nothing is held', async () => {
  const before = process.listenerCount('exit');
  const locks = await Promise.all(['a', 'b', 'c'].map((name) => takeLock(folder, name, signal)));
  expect(process.listenerCount('exit')).toBe(before + 1);
  await Promise.all(locks.map((lock) => lock.release()));
  expect(process.listenerCount('exit')).toBe(before);
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { listProcesses } from '../../src/transport/stdio/process-list.ts';
import { type Habits, isAlive, Program, until } from './program.ts';

const started: Program[] = [];
const hosts: ChildProcess[] = [];

// The tests wait more than they work, so they wait together.
afterAll(async () => {
  for (const host of hosts) host.kill('SIGKILL');
  await Promise.all(started.map(({ transport }) => transport.disconnect()));
});

async function start(habits?: Habits, graceMs = 150): Promise<Program> {
  const server = await Program.start(habits, { graceMs });
  started.push(server);
  return server;
}

async function end(server: Program): Promise<number> {
  const begin = performance.now();
  await server.transport.disconnect();
  return performance.now() - begin;
}

describe.concurrent('the end of a connection', () => {
  test('is the end of its input for the server, which needs no more', async () => {
    const server = await start({}, 60_000);
    const pid = await server.pid();
    await end(server);
    expect(isAlive(pid)).toBe(false);
    expect(server.closes).toEqual([undefined]);
  });

  test('comes after what was sent before it', async () => {
    const texts: string[] = [];
    const server = await Program.start({}, { stderr: (text) => texts.push(text) });
    await server.call('echo');
    server.tell('flood', { size: 10 });
    server.tell('flood', { size: 10 });
    await server.transport.disconnect();
    expect(texts.join('')).toBe('yyyyyyyyyy\n'.repeat(2));
  });

  test('is SIGTERM for one that does not see that its input ended', async () => {
    const server = await start({ ignores: ['eof'] }, 300);
    const pid = await server.pid();
    expect(await end(server)).toBeGreaterThanOrEqual(299);
    expect(isAlive(pid)).toBe(false);
  });

  test('is SIGKILL for one that ignores SIGTERM, and takes twice the grace', async () => {
    const server = await start({ ignores: ['eof', 'SIGTERM'] }, 200);
    const pid = await server.pid();
    expect(await end(server)).toBeGreaterThanOrEqual(399);
    expect(isAlive(pid)).toBe(false);
  });

  test('is not kept off by a server that does not read', async () => {
    const server = await start({ ignores: ['SIGTERM'] });
    const pid = await server.pid();
    await server.call('stopReading');
    server.tell('echo', { text: 'x'.repeat(8 * 1024 * 1024) });
    await end(server);
    expect(isAlive(pid)).toBe(false);
  });

  test.each([
    ['in its process group', {}],
    ['in a group of its own', { detached: true }],
    ['that ignores SIGTERM', { ignores: ['SIGTERM'] }],
    ['in a group of its own that ignores SIGTERM', { detached: true, ignores: ['SIGTERM'] }],
    ['that has its streams', { holds: true }],
  ])('is the end of what a server started %s', async (_, what) => {
    const server = await start();
    const pids = [await server.starts(what), await server.pid()];
    expect(pids.map(isAlive)).toEqual([true, true]);
    await end(server);
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  test('is the end of what a stubborn server started', async () => {
    const server = await start({ ignores: ['eof', 'SIGTERM'] });
    const stubborn = { ignores: ['SIGTERM'] };
    const pids = [
      await server.pid(),
      await server.starts(stubborn),
      await server.starts({ ...stubborn, detached: true }),
    ];
    await end(server);
    expect(pids.map(isAlive)).toEqual([false, false, false]);
  });

  // Only Linux tells what a process that has lost its parent was started with.
  const isFound = process.platform === 'linux';

  test('is the end of what nobody can tell any more whose child it is', async () => {
    const server = await start();
    const { pid } = await server.call('abandon', { ignores: ['SIGTERM'] });
    expect(isAlive(Number(pid))).toBe(true);
    await end(server);
    expect(isAlive(Number(pid))).toBe(!isFound);
    if (!isFound) process.kill(Number(pid), 'SIGKILL');
  });

  test('is the end of what a server that was killed had started, also in groups of their own', async () => {
    const server = await start();
    const { pid: abandoned } = await server.call('abandon');
    const pids = [await server.starts(), await server.starts({ detached: true }), Number(abandoned)];
    server.tell('die', { signal: 'SIGKILL' });
    await server.closed;
    await end(server);
    expect(pids.map(isAlive)).toEqual([false, !isFound, !isFound]);
    if (!isFound) for (const pid of pids.slice(1)) process.kill(pid, 'SIGKILL');
  });

  test('that is asked for many times is one', async () => {
    const server = await start();
    const pid = await server.pid();
    const { transport } = server;
    await Promise.all([
      transport.disconnect(),
      transport.disconnect(),
      server.closed.then(() => transport.disconnect()),
    ]);
    expect(isAlive(pid)).toBe(false);
    expect(server.closes).toEqual([undefined]);
  });
});

/** A process that is a client, and the numbers of those it is responsible for. */
async function startHost(how: string, habits: Habits, ...children: object[]) {
  const fixture = fileURLToPath(new URL('./fixtures/host.mjs', import.meta.url));
  const args = [fixture, how, JSON.stringify(habits), ...children.map((child) => JSON.stringify(child))];
  const host: ChildProcess & { stdout: Readable; stderr: Readable } = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  hosts.push(host);
  const exit = once(host, 'exit');
  const stderr = text(host.stderr);
  const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]();
  await lines.next();
  const { value } = await lines.next();
  const pids: number[] = JSON.parse(value);
  return { host, exit, stderr, pids, next: async () => JSON.parse((await lines.next()).value) };
}

describe.concurrent('a process that is a client', () => {
  test('exits by itself when the connection has ended, for nothing is left of it', async () => {
    const { pids, exit, stderr, next } = await startHost('disconnect', {}, { detached: true }, { holds: true });
    const { before, after } = await next();
    expect(after).toEqual(before);
    expect(await exit).toEqual([0, null]);
    expect(await stderr).toBe('');
    expect(pids.map(isAlive)).toEqual([false, false, false]);
  });

  const stubborn: Habits = { ignores: ['eof', 'SIGTERM'] };
  const child = { ignores: ['SIGTERM'], holds: true };

  test.each([
    ['is killed', 'stay', [null, 'SIGKILL']],
    ['exits', 'exit', [0, null]],
    ['throws', 'throw', [1, null]],
  ])('that %s leaves no server, nor what that started', async (_, how, code) => {
    const { host, exit, pids } = await startHost(how, stubborn, child, { ...child, detached: true });
    if (how === 'stay') host.kill('SIGKILL');
    expect(await exit).toEqual(code);
    await until(() => !pids.some(isAlive), 'all are gone');
  });

  test('that is killed leaves nothing that nobody can tell whose child it is', async () => {
    const { host, pids } = await startHost('stay', {}, { abandoned: true, ignores: ['SIGTERM'] });
    host.kill('SIGKILL');
    // Only Linux tells what it was started with.
    const ours = process.platform === 'linux' ? pids : pids.slice(0, 1);
    await until(() => !ours.some(isAlive), 'all are gone');
    for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
  });

  test('that is killed lets a server end by itself, and ends what that leaves behind', async () => {
    const { host, pids } = await startHost('stay', {}, child);
    host.kill('SIGKILL');
    await until(() => !pids.some(isAlive), 'all are gone');
  });
});

test('the guard of a server is gone with it', async () => {
  const server = await start();
  await server.pid();
  const shells = async (): Promise<number> =>
    ((await listProcesses()) ?? []).filter(({ parent }) => parent === process.pid).length;
  const before = await shells();
  await end(server);
  expect(await shells()).toBe(before - 2);
});

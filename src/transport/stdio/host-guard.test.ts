import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { guardScript } from './guard-script.ts';
import { startGuard } from './host-guard.ts';
import { MARK, newMark } from './process-list.ts';

/** The leader of a process group with a child that left it; both ignore SIGTERM, and have the same stdout. */
async function family(): Promise<{ leader: ChildProcess; stdout: Readable; pid: number; child: number }> {
  const code = `
    const { spawn } = require('node:child_process');
    process.on('SIGTERM', () => {});
    const stays = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log(process.pid)";
    spawn(process.execPath, ['-e', stays], { detached: true, stdio: 'inherit' });`;
  const leader = spawn(process.execPath, ['-e', code], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void leader.kill('SIGKILL'));
  const [child] = await once(leader.stdout, 'data');
  return { leader, stdout: leader.stdout, pid: Number(leader.pid), child: Number(child) };
}

interface GuardOptions {
  readonly platform?: string;
  readonly mark?: string;
  readonly path?: string | undefined;
}

/** A guard that waits for the end of its input, with the grace in ticks. */
async function start(
  grace: number,
  { platform = process.platform, mark = newMark(), path = process.env['PATH'] }: GuardOptions = {},
): Promise<ChildProcess & { stdin: Writable }> {
  const script = guardScript(platform).replace('while read', 'echo ready; while read');
  const guard = spawn('/bin/sh', ['-c', script, 'guard', String(grace), mark], {
    env: { PATH: path },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void guard.kill('SIGKILL'));
  await once(guard.stdout, 'data');
  return guard;
}

describe('the guard', () => {
  // The script of other systems works here too.
  test.each([process.platform, 'other'])('ends a tree when its input ends, with the script of %s', async (platform) => {
    const { leader, stdout, pid } = await family();
    const guard = await start(1, { platform });
    const ends = Promise.all([once(leader, 'exit'), once(stdout, 'close'), once(guard, 'exit')]);
    guard.stdin.end(`${pid}\n`);
    const [end, , exit] = await ends;
    expect(end).toEqual([null, 'SIGKILL']);
    expect(exit).toEqual([0, null]);
  });

  test('ends a process group where the system does not list processes', async () => {
    const path = mkdtempSync(join(tmpdir(), 'mcpp-guard-'));
    onTestFinished(() => rmSync(path, { recursive: true }));
    symlinkSync('/bin/sleep', join(path, 'sleep'));
    const { leader, pid, child } = await family();
    onTestFinished(() => void process.kill(child, 'SIGKILL'));
    const guard = await start(1, { path });
    const ends = Promise.all([once(leader, 'exit'), once(guard, 'exit')]);
    guard.stdin.end(`${pid}\n`);
    expect(await ends).toEqual([
      [null, 'SIGKILL'],
      [0, null],
    ]);
  });

  // Other systems do not show the environment of a process, or not of every one.
  const byMark = process.platform === 'linux' ? 'ends' : 'leaves';

  test(`${byMark} a program whose number it was never given`, async () => {
    const mark = newMark();
    const env = { PATH: process.env['PATH'], [MARK]: newMark(mark) };
    const program = spawn('sleep', ['60'], { detached: true, env, stdio: 'ignore' });
    onTestFinished(() => void program.kill('SIGKILL'));
    const guard = await start(1, { mark });
    const exit = once(guard, 'exit');
    guard.stdin.end();
    expect(await exit).toEqual([0, null]);
    if (byMark === 'ends') expect(program.signalCode ?? (await once(program, 'exit'))[1]).toBe('SIGTERM');
  });

  test('ends quietly if there is nothing to end', async () => {
    const leader = spawn(process.execPath, ['-e', ''], { detached: true });
    await once(leader, 'exit');
    const guard = await start(600);
    guard.stdin.end(`${leader.pid}\n`);
    expect(await once(guard, 'exit')).toEqual([0, null]);
  });

  test('ignores the signals that a terminal or a service manager sends', async () => {
    const { leader, pid, stdout } = await family();
    const guard = await start(0);
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) guard.kill(signal);
    const ends = Promise.all([once(leader, 'exit'), once(stdout, 'close'), once(guard, 'exit')]);
    guard.stdin.end(`${pid}\n`);
    const [end, , exit] = await ends;
    expect(end).toEqual([null, 'SIGKILL']);
    expect(exit).toEqual([0, null]);
  });

  test('is gone when it is released, and leaves the tree alone', async () => {
    const { leader, pid, child } = await family();
    const guard = await startGuard(1000, newMark());
    guard.watch(pid);
    await guard.release();
    await guard.release();
    expect([leader.exitCode, leader.signalCode]).toEqual([null, null]);
    const end = once(leader, 'exit');
    process.kill(child, 'SIGKILL');
    expect(await end).toEqual([0, null]);
  });
});

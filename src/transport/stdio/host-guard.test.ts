import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { guardScript, guardTree } from './host-guard.ts';

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

/** A guard that waits for the end of its input. */
async function start(script: string, pid: number, grace: number): Promise<ChildProcess & { stdin: Writable }> {
  const said = script.replace('read -r never', 'echo ready; read -r never');
  const args = ['-c', said, 'guard', String(pid), String(grace)];
  const guard = spawn('/bin/sh', args, { stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void guard.kill('SIGKILL'));
  await once(guard.stdout, 'data');
  return guard;
}

describe('the guard', () => {
  // What the script does on other systems works here too.
  test.each([process.platform, 'other'])('ends a tree when its input ends, as it sees it on %s', async (platform) => {
    const { leader, stdout, pid } = await family();
    const guard = await start(guardScript(platform), pid, 2);
    const ends = Promise.all([once(leader, 'exit'), once(stdout, 'close'), once(guard, 'exit')]);
    guard.stdin.end();
    const [end, , exit] = await ends;
    expect(end).toEqual([null, 'SIGKILL']);
    expect(exit).toEqual([0, null]);
  });

  test('ends quietly if there is nobody', async () => {
    const leader = spawn(process.execPath, ['-e', ''], { detached: true });
    await once(leader, 'exit');
    const guard = await start(guardScript(), Number(leader.pid), 600);
    guard.stdin.end();
    expect(await once(guard, 'exit')).toEqual([0, null]);
  });

  test('is not moved by signals that go to everybody', async () => {
    const { leader, pid, stdout } = await family();
    const guard = await start(guardScript(), pid, 0);
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) guard.kill(signal);
    const ends = Promise.all([once(leader, 'exit'), once(stdout, 'close'), once(guard, 'exit')]);
    guard.stdin.end();
    const [end, , exit] = await ends;
    expect(end).toEqual([null, 'SIGKILL']);
    expect(exit).toEqual([0, null]);
  });

  test('is gone when it is released, and lets the tree alone', async () => {
    const { leader, pid, child } = await family();
    const guard = guardTree(pid, 1000);
    await guard.release();
    await guard.release();
    expect([leader.exitCode, leader.signalCode]).toEqual([null, null]);
    const end = once(leader, 'exit');
    process.kill(child, 'SIGKILL');
    expect(await end).toEqual([0, null]);
  });
});

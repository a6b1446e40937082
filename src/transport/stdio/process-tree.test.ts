import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MARK, newMark } from './process-list.ts';
import { endTree, exitOf, hasExited } from './process-tree.ts';

async function start(code: string, env: NodeJS.ProcessEnv = process.env): Promise<ChildProcess> {
  const script = `${code}; setInterval(() => {}, 1000); console.log('ready')`;
  const child = spawn(process.execPath, ['-e', script], { detached: true, env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

describe('ending a tree', () => {
  test('says goodbye first, and does no more if that is enough', async () => {
    const leader = await start('');
    const kill = vi.spyOn(process, 'kill');
    onTestFinished(() => kill.mockRestore());
    expect(await endTree(leader, 60_000, () => void leader.kill('SIGINT'))).toEqual([]);
    expect(leader.signalCode).toBe('SIGINT');
    expect(kill.mock.calls.filter(([, signal]) => signal !== 0)).toEqual([]);
  });

  test('sends SIGTERM, and then SIGKILL, to the group', async () => {
    const polite = await start('');
    expect(await endTree(polite, 300, () => {})).toEqual([]);
    expect(polite.signalCode).toBe('SIGTERM');
    const stubborn = await start("process.on('SIGTERM', () => {})");
    expect(await endTree(stubborn, 50, () => {})).toEqual([]);
    expect(stubborn.signalCode).toBe('SIGKILL');
  });

  test('ends what is started while it ends', async () => {
    const leader = await start(`
      const stays = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
      const options = { detached: true, stdio: 'inherit' };
      process.on('SIGTERM', () => require('node:child_process').spawn(process.execPath, ['-e', stays], options))`);
    const closed = once(leader, 'close');
    expect(await endTree(leader, 300, () => {})).toEqual([]);
    // Whoever is left would have the pipe.
    expect(await closed).toEqual([null, 'SIGKILL']);
  });

  test('ends processes that are started until the last moment', async () => {
    const mark = newMark();
    const leader = await start(
      `process.on('SIGTERM', () => {});
       const { spawn } = require('node:child_process');
       const options = { detached: true, stdio: ['ignore', 'inherit', 'ignore'] };
       let count = 0;
       setInterval(() => count++ < 100 && spawn('/bin/sh', ['-c', 'trap "" TERM; sleep 60'], options).unref(), 5)`,
      { ...process.env, [MARK]: mark },
    );
    const closed = once(leader, 'close');
    expect(await endTree(leader, 100, () => {}, mark)).toEqual([]);
    // A process that is left would have the pipe. Only on Linux the mark finds the last ones.
    if (process.platform === 'linux') await closed;
  });

  test('of one that has ended, and of one that never began, is done', async () => {
    const leader = spawn(process.execPath, ['-e', ''], { detached: true });
    await once(leader, 'exit');
    expect(await endTree(leader, 60_000, () => {})).toEqual([]);
    const never = spawn('no-such-program');
    await once(never, 'error');
    expect(hasExited(never)).toBe(true);
    const kill = vi.spyOn(process, 'kill');
    onTestFinished(() => kill.mockRestore());
    expect(await endTree(never, 60_000, () => {})).toEqual([]);
    expect(kill).not.toHaveBeenCalled();
  });

  test('waits for an exit no longer than it should, and leaves no listener', async () => {
    const child = await start('');
    const before = child.listenerCount('exit');
    await exitOf(child, 1);
    expect(hasExited(child)).toBe(false);
    expect(child.listenerCount('exit')).toBe(before);
  });
});

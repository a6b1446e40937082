import { spawn } from 'node:child_process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listProcesses, MARK, newMark, readPs, readStat } from './process-list.ts';

const TIMES = '0 -1 4227084 96 0 0 0 0 0 0 0 20 0 1 0 1143304 0 0';

describe('the list of processes', () => {
  test('reads /proc, where a name may look like anything', () => {
    expect(readStat(`4652 (sleep) S 1 4651 4651 ${TIMES}`)).toEqual({
      pid: 4652,
      parent: 1,
      group: 4651,
      started: '1143304',
      isMarked: false,
    });
    expect(readStat(`7 (a) Z 9 9) R 3 2 2 ${TIMES}`)).toMatchObject({
      pid: 7,
      parent: 3,
      group: 2,
      started: '1143304',
    });
  });

  test('reads ps', () => {
    expect(readPs('  4652     1  4651 Ss+  Sat Nov 15 22:58:00 2025')).toEqual({
      pid: 4652,
      parent: 1,
      group: 4651,
      started: 'Sat Nov 15 22:58:00 2025',
      isMarked: false,
    });
  });

  test('leaves out who is dead, and what cannot be read', () => {
    expect(readStat(`4652 (sleep) Z 1 4651 4651 ${TIMES}`)).toBeUndefined();
    expect(readPs('4652 1 4651 Z Sat Nov 15 22:58:00 2025')).toBeUndefined();
    expect([readStat(''), readPs(''), readPs('PID PPID')]).toEqual([undefined, undefined, undefined]);
  });

  test('has this process in it, by /proc and by ps', async () => {
    const mine = { pid: process.pid, parent: process.ppid };
    expect(await listProcesses()).toContainEqual(expect.objectContaining(mine));
    expect(await listProcesses('other')).toContainEqual(expect.objectContaining(mine));
  });
});

describe('a mark', () => {
  const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

  test('in a marked program begins with the mark of that program', () => {
    expect(newMark(undefined)).toMatch(UUID);
    const outer = newMark(undefined);
    const inner = newMark(outer);
    expect(inner.slice(0, outer.length + 1)).toBe(`${outer}/`);
    expect(inner.slice(outer.length + 1)).toMatch(UUID);
  });

  test('does not begin with what is no mark, which a search as text could not tell from others', () => {
    for (const value of ['', 'a\nb', 'x', '.*', 'a'.repeat(1001)]) expect(newMark(value)).toMatch(UUID);
  });

  test('is found in the environment of a process, also of one that is marked by a marked program', async () => {
    const mark = newMark(undefined);
    const pids = [mark, newMark(mark), newMark(undefined)].map((value) => {
      const child = spawn('sleep', ['60'], { env: { PATH: process.env['PATH'], [MARK]: value }, stdio: 'ignore' });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child.pid;
    });
    const rows = (await listProcesses(process.platform, mark)) ?? [];
    const marked = rows.filter(({ isMarked }) => isMarked).map(({ pid }) => pid);
    // Only Linux shows the environment of a process.
    expect(marked.sort()).toEqual(process.platform === 'linux' ? pids.slice(0, 2).sort() : []);
  });
});

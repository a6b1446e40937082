import { describe, expect, test } from 'vitest';
import { listProcesses, readPs, readStat } from './process-list.ts';

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

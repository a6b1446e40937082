/** Hosts that are killed while their programs start others: whatever the moment, nothing is left of them 10 s later. */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const KILLS = 16;
const AT_ONCE = 4;
const SIGNALS = ['SIGKILL', 'SIGTERM', 'SIGINT'] as const;

const HOST = fileURLToPath(new URL('../stdio/fixtures/starting-host.mjs', import.meta.url));

/** The processes that have the token in their arguments. */
function processesWith(token: string): string[] {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(token) && !line.includes('<defunct>'));
}

interface Report {
  readonly signal: string;
  readonly started: number;
  readonly left: readonly string[];
  readonly seconds: number;
}

/** Kills a host some time after it began to start programs, and waits up to 10 s for the end of all. */
async function killOnce(n: number): Promise<Report> {
  const token = `77${process.pid}${String(n).padStart(4, '0')}`;
  const signal = SIGNALS[n % SIGNALS.length] ?? 'SIGKILL';
  const host = spawn(process.execPath, [HOST, token], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(host, 'exit');
  await once(host.stdout, 'data');
  await pause(Math.random() * 900);
  const started = processesWith(token).length;
  host.kill(signal);
  await exit;
  const died = performance.now();
  for (;;) {
    const left = processesWith(token);
    const seconds = (performance.now() - died) / 1000;
    if (left.length === 0 || seconds > 10) {
      spawnSync('kill', ['-9', ...left.map((line) => line.trim().split(' ')[0] ?? '')]);
      return { signal, started, left, seconds };
    }
    await pause(200);
  }
}

test(`${KILLS} hosts are killed at random moments, also while their programs start`, async () => {
  const reports: Report[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < KILLS) reports.push(await killOnce(next++));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(reports.filter(({ left }) => left.length > 0)).toEqual([]);
  expect(reports).toHaveLength(KILLS);
  // The moments were really different ones.
  expect(new Set(reports.map(({ started }) => started)).size).toBeGreaterThan(3);
}, 240_000);

/** Servers that die: whatever the moment, every promise settles soon, and nothing is left of what was started. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ConnectionError, isMcpError } from 'mcpp';
import { connect } from 'mcpp/client';
import { afterAll, expect, test } from 'vitest';
import { isAlive, until } from '../stdio/program.ts';
import { unhandledDuring } from '../wire.ts';

const KILLS = 200;
const AT_ONCE = 4;
const CALLS = 50;

const folder = mkdtempSync(join(tmpdir(), 'mcpp-kill-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fixture = fileURLToPath(new URL('../stdio/fixtures/doomed.mjs', import.meta.url));

// A wrapper as `npx` is one, cheap enough to be started 200 times: the server and a process that ignores SIGTERM.
const WRAPPER = 'exec 3<&0; trap "" TERM; sleep 600 & echo "$$\n$!" >> "$1"; "$0" "$2" "$1" "$3" "$4" <&3 3<&- & wait';

/** What a wrapper noted: who was started, and when it died. */
function notesOf(file: string): { pids: number[]; died: number } {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const died = Number(lines.find((line) => line.startsWith('died '))?.slice(5));
  return { pids: lines.filter((line) => /^\d+$/.test(line)).map(Number), died };
}

/** What of other processes this one has open; some belong to whoever runs the test. */
function handles(): string[] {
  return process.getActiveResourcesInfo().filter((name) => /Process|Pipe/.test(name));
}

interface Report {
  readonly pids: readonly number[];
  /** Milliseconds from the death to the last promise that settled. */
  readonly took: number;
  readonly answered: number;
  readonly errors: readonly ConnectionError[];
}

async function dieOnce(n: number): Promise<Report> {
  const file = join(folder, `notes-${n}`);
  // Some die while they start, most while they work.
  const life = n % 4 === 0 ? ['start', Math.random() * 300] : ['call', Math.random() * 100];
  const args = ['-c', WRAPPER, process.execPath, file, fixture, ...life.map(String)];
  // Pinned, so that it is started once: a second start would be a second life.
  const connecting = connect({ command: '/bin/sh', args }, { revision: '2026-07-28', graceMs: 100 });
  const errors: ConnectionError[] = [];
  let answered = 0;
  const failed = (error: unknown): void => {
    errors.push(error as ConnectionError);
  };
  const mcp = await connecting.catch(failed);
  if (mcp) {
    for (let round = 0; errors.length === 0; round++) {
      const calls = Array.from({ length: CALLS }, () => mcp.callTool('t', { round }));
      for (const outcome of await Promise.allSettled(calls)) {
        if (outcome.status === 'fulfilled') answered++;
        else failed(outcome.reason);
      }
    }
  }
  const settled = Date.now();
  await mcp?.close();
  const { pids, died } = notesOf(file);
  return { pids, took: settled - died, answered, errors };
}

test(`a server is killed at ${KILLS} random moments, with ${CALLS} calls and 8 MB in flight and 10 MB on stderr`, async () => {
  const before = handles();
  const reports: Report[] = [];
  const unhandled = await unhandledDuring(async () => {
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < KILLS) reports.push(await dieOnce(next++));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  });
  expect(unhandled).toEqual([]);
  expect(reports).toHaveLength(KILLS);

  const errors = reports.flatMap((report) => report.errors);
  expect(errors.filter((error) => !isMcpError(error) || error.code !== 'closed')).toEqual([]);
  expect(errors.filter(({ process: end }) => end?.signal !== 'SIGKILL')).toEqual([]);
  expect(errors.filter(({ process: end }) => (end?.stderr.length ?? 0) > 4096)).toEqual([]);
  // The moments were really different ones.
  expect(reports.some(({ answered }) => answered > 0)).toBe(true);

  expect(Math.max(...reports.map(({ took }) => took))).toBeLessThan(1000);
  const pids = reports.flatMap((report) => report.pids);
  await until(() => !pids.some(isAlive), 'every process of every tree is gone');
  expect(handles()).toEqual(before);
}, 240_000);

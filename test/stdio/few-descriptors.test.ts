/** Programs are started while there are no free file descriptors: the error says so, and nothing is left behind. */

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { isAlive, until } from './program.ts';

const folder = mkdtempSync(join(tmpdir(), 'mcpp-descriptors-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FIXTURE = fileURLToPath(new URL('./fixtures/few-descriptors.mjs', import.meta.url));

const PROGRAM = `
  require('node:fs').appendFileSync(process.argv[1], process.pid + '\\n');
  const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (params?.name === 'exit') process.exit(1);
    const result = { resultType: 'complete', ...(method === 'server/discover' ? discovered : { content: [] }) };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });`;

/** Runs the fixture with 64 descriptors. */
async function run(what: string): Promise<{ outcomes: unknown[]; pids: number[] }> {
  const notes = join(folder, what);
  writeFileSync(notes, '');
  const args = [process.execPath, FIXTURE, what, process.execPath, '-e', PROGRAM, notes];
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', 'ulimit -n 64; exec "$@"', 'sh', ...args]);
  const pids = readFileSync(notes, 'utf8').split('\n').filter(Boolean).map(Number);
  return { outcomes: JSON.parse(stdout), pids };
}

const NO_ROOM = {
  name: 'ConnectionError',
  code: 'spawn-failed',
  message: expect.stringMatching(
    /^Cannot start the server ".*": the system has no room for another process\. End some, or raise the limits \(EMFILE\)$/,
  ),
};

test('connect rejects with the error of the system until there are enough descriptors', async () => {
  const { outcomes, pids } = await run('connect');
  expect(outcomes.shift()).toBe('ok');
  const failures = outcomes.filter((outcome) => outcome !== 'ok');
  expect(failures.length).toBeGreaterThan(5);
  expect(failures).toEqual(failures.map(() => NO_ROOM));
  expect(outcomes.slice(failures.length)).toEqual(Array(31 - failures.length).fill('ok'));
  await until(() => !pids.some(isAlive), 'all are gone');
});

test('connect that cannot load its own code says so', async () => {
  const { outcomes } = await run('first');
  const message = expect.stringMatching(
    /^Cannot start the server ".*": the module that starts programs could not be loaded \(EMFILE\)\. /,
  );
  expect(outcomes).toEqual([{ name: 'ConnectionError', code: 'spawn-failed', message }]);
});

test('a restart is tried again until there are descriptors, or fails with the error of the system', async () => {
  const { outcomes, pids } = await run('restart');
  expect(outcomes).toEqual([
    { name: 'ConnectionError', code: 'failed', message: expect.stringMatching(/was given up: .* \(EMFILE\)$/) },
    'ok',
  ]);
  await until(() => !pids.some(isAlive), 'all are gone');
});

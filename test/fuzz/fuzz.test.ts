/** The fuzzer finds faults: each test runs it against a server with one of them. */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = fileURLToPath(new URL('programs/faulty.mjs', import.meta.url));

interface Run {
  readonly code: number | null;
  readonly output: string;
}

function fuzz(fault: string, ...options: readonly string[]): Promise<Run> {
  const args = [
    'scripts/fuzz.mjs',
    '--only',
    'stdio',
    '--seed',
    '1',
    '--shrink',
    '1',
    '--program',
    program,
    ...options,
  ];
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, FAULT: fault } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

test.concurrent('a server without faults passes', async () => {
  const { code, output } = await fuzz('', '--seconds', '3');
  expect(output).toMatch(/^seed 1\nstdio: \d\d+ cases, .*\nok\n$/);
  expect(code).toBe(0);
});

test.concurrent.each([
  ['answers twice', '2 answers to 1 requests'],
  ['does not answer', 'no answer within'],
  ['answers with text', 'what was sent is not JSON-RPC'],
  ['shows a stack', 'a stack is in what was sent'],
  ['crashes', 'the process ended (exit code 3)'],
  ['takes CPU time', '500 ms are allowed'],
  ['prints control characters', 'control characters of a peer are on stderr'],
  ['changes a prototype', 'a prototype has new members: polluted'],
])('a server that %s fails', { timeout: 120_000 }, async (fault, message) => {
  const { code, output } = await fuzz(fault, '--seconds', '60');
  expect(output).toContain(message);
  expect(code).toBe(1);
});

test.concurrent.each([
  ['memory', 'the heap grew by'],
  ['timers', 'resources are still open: Timeout'],
])('a server that keeps %s is found out at the end', { timeout: 120_000 }, async (fault, message) => {
  const { code, output } = await fuzz(`keeps ${fault}`, '--seconds', '5');
  expect(output).toContain(message);
  expect(code).toBe(1);
});

test.concurrent('a failing case can be replayed from its file', { timeout: 60_000 }, async () => {
  const { output } = await fuzz('crashes', '--seconds', '60');
  const file = /--replay (\S+)/.exec(output)?.[1] ?? '';
  expect(await fuzz('crashes', '--replay', file)).toMatchObject({
    code: 1,
    output: expect.stringContaining('the process ended (exit code 3)'),
  });
  expect(await fuzz('', '--replay', file)).toEqual({ code: 0, output: 'ok\n' });
});

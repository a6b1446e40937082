import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { Random } from '../../fuzz/random.mjs';
import { brokenLine } from './broken-lines.ts';
import { fixture, initialize } from './server-process.ts';

const LINES = 100_000;
const WARM_UP = 20_000;

test('100,000 broken lines neither end the process nor make it grow', { timeout: 120_000 }, async () => {
  const child = spawn(process.execPath, ['--expose-gc', fixture('fuzzed')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const heaps = new Map<string, (heapUsed: number) => void>();
  let answers = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as { id?: string; result?: { heapUsed?: number } };
    answers++;
    const heapUsed = message.result?.heapUsed;
    if (heapUsed !== undefined) heaps.get(String(message.id))?.(heapUsed);
  });
  const heap = (id: string): Promise<number> =>
    new Promise((resolve) => {
      heaps.set(id, resolve);
      child.stdin.write(`{"jsonrpc":"2.0","id":"${id}","method":"test/heap"}\n`);
    });
  const random = new Random(2026);
  const write = async (count: number): Promise<void> => {
    for (let written = 0; written < count; written += 100) {
      const lines = Array.from({ length: 100 }, () => Buffer.concat([brokenLine(random), Buffer.from('\n')]));
      if (!child.stdin.write(Buffer.concat(lines))) await once(child.stdin, 'drain');
    }
  };

  child.stdin.write(initialize);
  await write(WARM_UP);
  const before = await heap('heap before');
  await write(LINES);
  const after = await heap('heap after');
  child.stdin.end();
  const [code] = await once(child, 'exit');

  expect(code).toBe(0);
  expect(answers).toBeGreaterThan(LINES / 4);
  expect((after - before) / 2 ** 20).toBeLessThan(5);
});

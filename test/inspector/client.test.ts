/** The client of the example, which starts the server by itself. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const example = (name: string): string => fileURLToPath(new URL(`../../examples/inspector/${name}`, import.meta.url));

/** Runs the client, and gives what it wrote. */
async function run(...args: string[]): Promise<{ stdout: string; stderr: string; code: number | null }> {
  const child = spawn(process.execPath, [example('client.mjs'), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { stdout, stderr, code };
}

const time = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g;
const page = readFileSync(example('README.md'), 'utf8');
const printed = /^```text\n(.*?)^```$/ms.exec(page)?.[1]?.replaceAll(time, '(time)') ?? 'README.md shows no output';

test('prints what README.md says', async () => {
  const { stdout, stderr, code } = await run();

  expect(stdout.replaceAll(time, '(time)')).toBe(printed);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
});

test('prints the same in a session, but for the revision and the code of what is not found', async () => {
  const { stdout, stderr, code } = await run('2025-11-25');

  const expected = printed.replaceAll('2026-07-28', '2025-11-25').replace('-32602', '-32002');
  expect(stdout.replaceAll(time, '(time)')).toBe(expected);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
});

/** The example, with everything it starts; the person is here. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { Browser } from '../auth/person.ts';
import { freePort } from '../auth/protected-server.ts';

const example = (name: string): string => fileURLToPath(new URL(`../../examples/protected/${name}`, import.meta.url));
const printed = /^```text\n(.*?)^```$/ms.exec(readFileSync(example('README.md'), 'utf8'))?.[1];

const started: ChildProcess[] = [];
afterEach(() => {
  // It ends what it started.
  for (const child of started.splice(0)) child.kill('SIGTERM');
});

interface Run {
  readonly stdout: string;
  /** The lines that told of no page. */
  readonly stderr: readonly string[];
  readonly visits: number;
  readonly code: number | null;
}

/** Runs it, and fills in each page that it wants to have opened. */
async function run(fill: Readonly<Record<string, string>>): Promise<Run> {
  const port = String(await freePort());
  const issuerPort = String(await freePort());
  const { DISPLAY: _, WAYLAND_DISPLAY: __, BROWSER: ___, ...env } = process.env;
  const args = [example('protected.mjs'), '--port', port, '--issuer-port', issuerPort];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  const closed = once(child, 'close');
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk;
  });
  const stderr: string[] = [];
  const browser = new Browser();
  let visits = 0;
  for await (const line of createInterface(child.stderr)) {
    const page = /^Open this page to sign in: (\S+)$/.exec(line)?.[1];
    if (page === undefined) {
      stderr.push(line);
      continue;
    }
    visits++;
    const { url } = await browser.visit(new URL(page), fill);
    await (await fetch(url)).text();
  }
  const [code] = (await closed) as [number | null];
  return { stdout: stdout.replaceAll(port, '3000').replaceAll(issuerPort, '4000'), stderr, visits, code };
}

test('prints what README.md says, when a person signs in and allows what is asked for', async () => {
  const { stdout, stderr, visits, code } = await run({ name: 'ada', allow: 'yes' });
  expect(stdout).toBe(printed);
  expect({ stderr, visits, code }).toEqual({ stderr: [], visits: 2, code: 0 });
});

test('a person who does not allow it ends it, and everything that was started', async () => {
  const { stdout, stderr, code } = await run({ name: 'ada', deny: 'yes' });
  expect(stdout).not.toContain('whoami');
  expect(stderr.join('\n')).toContain('access_denied');
  expect(code).toBe(1);
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { fileStore, oauth } from 'mcpp/auth/client';
import { connect } from 'mcpp/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { closeAll, setStage } from './stage.ts';

const PROCESSES = 6;
const program = fileURLToPath(new URL('./one-of-many.mjs', import.meta.url));
const started: ChildProcess[] = [];
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcpp-auth-'));
});

afterEach(async () => {
  vi.useRealTimers();
  for (const child of started.splice(0)) child.kill('SIGKILL');
  await closeAll();
  rmSync(folder, { recursive: true, force: true });
});

interface Client {
  /** The next line it prints; undefined if there is none. */
  line(): Promise<string | undefined>;
  begin(): void;
  readonly exit: Promise<unknown[]>;
}

function start(url: string, path: string): Client {
  const child = spawn(process.execPath, [program, url, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  started.push(child);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const exit = once(child, 'exit');
  return {
    line: async () => (await lines.next()).value,
    begin: () => child.stdin.write('now\n'),
    exit,
  };
}

test(`${PROCESSES} processes that share a file with an expired token refresh it once`, async () => {
  const path = join(folder, 'credentials.json');
  const { url, byHand, watchTokens } = await setStage({ as: { accessTokenSeconds: 600 } });
  // The person signed in an hour ago.
  vi.setSystemTime(Date.now() - 3_600_000);
  const mcp = await connect(url, { auth: oauth({ ...byHand, store: fileStore({ path }) }) });
  await mcp.close();
  vi.useRealTimers();

  const clients = Array.from({ length: PROCESSES }, () => start(url, path));
  expect(await Promise.all(clients.map((client) => client.line()))).toEqual(Array(PROCESSES).fill('ready'));
  const tokens = watchTokens();
  for (const client of clients) client.begin();
  expect(await Promise.all(clients.map((client) => client.line()))).toEqual(Array(PROCESSES).fill('ada'));
  expect(tokens()).toEqual(['refresh_token 200']);
  expect(await Promise.all(clients.map(({ exit }) => exit))).toEqual(Array(PROCESSES).fill([0, null]));
});

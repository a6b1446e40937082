/** Programs that are bad servers: each is a typed error in bounded time, or does no harm, and none is left running. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ConnectOptions, connect } from 'mcpp/client';
import { afterAll, describe, expect, test } from 'vitest';
import { isAlive, until } from './program.ts';

const folder = mkdtempSync(join(tmpdir(), 'mcpp-misbehaving-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let started = 0;

/** A program that notes its pid each time it is started, and then does this. */
function program(code: string): { command: string; args: string[]; pids(): number[] } {
  const notes = join(folder, String(started++));
  const note = `require('node:fs').appendFileSync(${JSON.stringify(notes)}, process.pid + '\\n');`;
  return {
    command: process.execPath,
    args: ['-e', note + code],
    pids: () => readFileSync(notes, 'utf8').trim().split('\n').map(Number),
  };
}

/** A server that answers; `before` runs first, and `answers` may take over a method. */
const server = (before = '', answers = ''): string => `
  ${before}
  const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  const answers = {
    'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' }),
    'tools/call': () => ({ content: [] }),
    ${answers}
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const result = id === undefined ? undefined : answers[method](id, params);
    if (result) say({ id, result: { resultType: 'complete', ...result } });
  });
`;

const HASTY: ConnectOptions = { graceMs: 100, connectTimeout: 1500, probeTimeout: 200 };

// These do answer, however long it takes them to start.
const QUICK: ConnectOptions = { graceMs: 100 };

const allGone = (pids: readonly number[]): Promise<void> => until(() => !pids.some(isAlive), 'all are gone');

describe('a program that cannot be greeted', () => {
  test.each([
    ['never answers', 'process.stdin.resume(); setInterval(() => {}, 1000)'],
    ['never reads', 'setInterval(() => {}, 1000)'],
    [
      'never answers and does not go',
      "process.on('SIGTERM', () => {}); process.stdin.resume(); setInterval(() => {}, 1000)",
    ],
    ['answers with noise only', "setInterval(() => console.log('still here'), 10)"],
  ])('because it %s is given up and ended', async (_what, code) => {
    const one = program(code);
    await expect(connect(one, HASTY)).rejects.toMatchObject({
      name: 'ConnectionError',
      code: 'timeout',
      message: expect.stringMatching(/^Connecting to ".*" timed out after 1500 ms$/),
    });
    await allGone(one.pids());
  });

  test('because it exits at once says how, and what it said last', async () => {
    const one = program("console.error('no licence found'); process.exit(7)");
    await expect(connect(one, HASTY)).rejects.toMatchObject({
      code: 'closed',
      message: expect.stringContaining('no licence found'),
      process: { exitCode: 7, signal: null, stderr: 'no licence found\n' },
    });
    await allGone(one.pids());
  });

  test('because it only logged its error and stays, says which error that was', async () => {
    const one = program("console.error(new Error('no licence found')); setInterval(() => {}, 1000)");
    await expect(connect(one, HASTY)).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(
        /timed out after 1500 ms\. The last it wrote on stderr:\nError: no licence found$/,
      ),
    });
    await allGone(one.pids());
  });

  test('because it is not there, or must not be started, says so', async () => {
    await expect(connect({ command: 'there-is-no-such-program' })).rejects.toMatchObject({ code: 'spawn-failed' });
    await expect(connect(program(server()), { allowCommand: () => false })).rejects.toMatchObject({ code: 'refused' });
  });
});

describe('a program that is an odd server', () => {
  test('because it prints other things first works, and that is told once', async () => {
    const errors: Error[] = [];
    const noise = 'console.log(\'Welcome!\\n\\n{ "not": json\\n\\u0000\\u0001\'.repeat(50));';
    const one = program(server(noise));
    const mcp = await connect(one, { ...QUICK, onError: (error) => errors.push(error) });
    expect(await mcp.callTool('t')).toMatchObject({ content: [] });
    expect(errors).toMatchObject([{ name: 'ConnectionError', code: 'malformed' }]);
    await mcp.close();
    await allGone(one.pids());
  });

  test('because it floods stderr works, and the end of it is kept', async () => {
    const flood = "for (let i = 0; i < 800; i++) process.stderr.write('z'.repeat(65536));";
    const one = program(server(flood, "'tools/call': () => process.exit(1),"));
    const mcp = await connect(one, QUICK);
    await expect(mcp.callTool('t')).rejects.toMatchObject({
      code: 'closed',
      process: { exitCode: 1, stderr: expect.stringMatching(/^z{4096}$/) },
    });
    await allGone(one.pids());
  });

  test('because it ignores the end of its input and SIGTERM is gone when `close` resolves', async () => {
    const one = program(server("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);"));
    const mcp = await connect(one, QUICK);
    await mcp.close();
    expect(one.pids().filter(isAlive)).toEqual([]);
  });

  test('because it stops reading fails the calls in time, and the rest of them at once when it is closed', async () => {
    const one = program(server('', "'tools/call': () => { process.stdin.pause(); setInterval(() => {}, 1000); },"));
    const mcp = await connect(one, QUICK);
    const text = 'x'.repeat(1_000_000);
    const patient = Array.from({ length: 10 }, () => mcp.callTool('t', { text }).catch((error: unknown) => error));
    await expect(mcp.callTool('t', { text }, { timeout: 200 })).rejects.toMatchObject({ code: 'timeout' });
    await mcp.close();
    for (const call of patient) expect(await call).toMatchObject({ code: 'closed' });
    await allGone(one.pids());
  });

  test('because its answer has no end fails the call it was for, and only that', async () => {
    const endless = `'tools/call': (id, { name }) => {
      if (name === 'small') return { content: [] };
      process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":{"text":"');
      for (let i = 0; i < 40; i++) process.stdout.write('x'.repeat(1024 * 1024));
      process.stdout.write('"}}\\n');
    },`;
    const one = program(server('', endless));
    const mcp = await connect(one, QUICK);
    await expect(mcp.callTool('huge')).rejects.toMatchObject({
      code: 'too-large',
      message: 'Invalid response: a line of more than 16777216 bytes (option "maxLineLength")',
    });
    expect(await mcp.callTool('small')).toMatchObject({ content: [] });
    await mcp.close();
  });

  test('because it answers with what is no JSON fails the call it was for, at once', async () => {
    const odd = `'tools/call': (id) => void process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":{"n":NaN}}\\n'),`;
    const mcp = await connect(program(server('', odd)), QUICK);
    await expect(mcp.callTool('t')).rejects.toMatchObject({ code: 'malformed' });
    await mcp.close();
  });

  test('because it answers twice, for others and in its own name does no harm', async () => {
    const odd = `'tools/call': (id) => {
      say({ id: 424242, result: {} });
      say({ id: null, error: { code: -1, message: 'x' } });
      for (let i = 0; i < 5000; i++) say({ id: 's' + i, method: 'no/such' });
      for (let i = 0; i < 20000; i++) say({ method: 'notifications/tools/list_changed' });
      say({ id, result: { resultType: 'complete', content: [{ type: 'text', text: 'first' }] } });
      return { content: [{ type: 'text', text: 'second' }] };
    },`;
    const mcp = await connect(program(server('', odd)), QUICK);
    expect(await mcp.callTool('t')).toMatchObject({ content: [{ text: 'first' }] });
    expect(await mcp.callTool('t')).toMatchObject({ content: [{ text: 'first' }] });
    await mcp.close();
  });
});

describe('a program that dies of the first question', () => {
  const old = `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (method === 'server/discover') process.exit(1);
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'old', version: '1' } };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  `;

  test('is started once more, and its client remembers not to ask again', async () => {
    const one = program(old);
    const client = new Client({ name: 'me', version: '1' }, QUICK);
    const first = await client.connect(one);
    expect([first.revision, one.pids().length]).toEqual(['2025-06-18', 2]);
    const second = await client.connect(one);
    expect([second.revision, one.pids().length]).toEqual(['2025-06-18', 3]);
    await Promise.all([first.close(), second.close()]);
    await allGone(one.pids());
  });
});

test('a supervised program that is killed is there again, and calls go on', async () => {
  const one = program(server());
  const mcp = await connect(one, { ...QUICK, restart: { minDelayMs: 10 } });
  for (let crashes = 1; crashes <= 3; crashes++) {
    process.kill(one.pids().at(-1) as number, 'SIGKILL');
    // It may be sent before the death is known, so it has to be one that can be sent again.
    expect(await mcp.callTool('t', {}, { idempotent: true })).toMatchObject({ content: [] });
    expect(one.pids()).toHaveLength(crashes + 1);
  }
  await mcp.close();
  await allGone(one.pids());
});

test('a supervised program that fails calls as it ends is sent them again after its restart', async () => {
  const wasStarted = join(folder, 'was-started');
  const one = program(
    server(
      `const { existsSync, writeFileSync } = require('node:fs');
       const isFirst = !existsSync(${JSON.stringify(wasStarted)});
       writeFileSync(${JSON.stringify(wasStarted)}, '');`,
      `'tools/call': (id) => {
        if (!isFirst) return { content: [] };
        say({ id, error: { code: -32603, message: 'Internal error' } });
        setTimeout(() => process.exit(0), 300);
      },`,
    ),
  );
  const mcp = await connect(one, { ...QUICK, restart: { minDelayMs: 10 } });
  expect(await mcp.callTool('t', {}, { idempotent: true })).toMatchObject({ content: [] });
  expect(one.pids()).toHaveLength(2);
  await mcp.close();
  await allGone(one.pids());
});

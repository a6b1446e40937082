import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { McpServer } from 'mcpp/server';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { root } from '../docs/snippets.mjs';
import { recipes, writeRecipes } from './recipes.ts';
import { end, portOf, prepare } from './run.ts';
import { newestCall, openSession, type Received, send } from './speaker.ts';

const folder = writeRecipes('frameworks');
const ON_NODE = ['http', 'express', 'express-json', 'fastify', 'fastify-raw', 'koa', 'hono-node'];
const BY_FETCH = ['hono', 'hono-read'];
const ELSEWHERE = ['bun', 'deno', 'worker', 'durable'];

beforeAll(prepare);
afterAll(end);

test('every recipe of the page is run here, or by npm run runtimes', () => {
  const run = [...ON_NODE, ...BY_FETCH, ...ELSEWHERE, 'server', 'auth', 'stop'];
  // Those with authorization have a test of their own.
  const names = [...recipes().keys()].filter((name) => !name.endsWith('-auth'));
  expect(names.sort()).toEqual(run.sort());
});

test('every recipe type-checks', { timeout: 60_000 }, () => {
  copyFileSync(join(root, 'test/frameworks/ambient.txt'), join(folder, 'ambient.d.ts'));
  const compilerOptions = { isolatedDeclarations: false, declaration: false, skipLibCheck: true, lib: ['ES2023'] };
  const config = { extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
});

test('stop: SIGTERM ends streams and then the server', async () => {
  const before = new Set(process.listeners('SIGTERM'));
  const port = await portOf(folder, 'stop');
  const onSignal = process.listeners('SIGTERM').find((one) => !before.has(one));
  const headers = await openSession(port);
  const stream = await send(port, { method: 'GET', headers });
  await onSignal?.('SIGTERM');
  expect(await stream.next()).toBeUndefined();
  await expect(send(port, {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  if (onSignal) process.off('SIGTERM', onSignal);
});

describe.each([...ON_NODE, ...BY_FETCH])('%s', (name) => {
  const open: Received[] = [];
  const complaints = vi.fn();
  let port: number;
  let server: McpServer;

  beforeAll(async () => {
    vi.spyOn(console, 'error').mockImplementation(complaints);
    port = await portOf(folder, name);
    ({ server } = (await import(/* @vite-ignore */ pathToFileURL(join(folder, 'server.ts')).href)) as {
      server: McpServer;
    });
  });
  afterEach(() => {
    for (const one of open.splice(0)) one.hangUp();
  });

  /** Listens to a session's changes. */
  async function listenIn(headers: Readonly<Record<string, string>>): Promise<Received> {
    const stream = await send(port, { method: 'GET', headers });
    open.push(stream);
    return stream;
  }

  test('a call of 2026-07-28 is answered as JSON', async () => {
    const answer = await send(port, newestCall('hello', { name: 'Ada' }));
    expect(answer).toMatchObject({ status: 200, type: 'application/json' });
    expect(await answer.json()).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: 'Hello Ada!' }] } });
  });

  test('a call of 2026-07-28 that wants progress gets a stream, which ends with the answer', async () => {
    const answer = await send(port, newestCall('hello', { name: 'Ada' }, { progressToken: 7 }));
    expect(answer).toMatchObject({ status: 200, type: 'text/event-stream' });
    expect(await answer.next()).toMatchObject({
      method: 'notifications/progress',
      params: { progressToken: 7, progress: 1, total: 2, message: 'Thinking' },
    });
    expect(await answer.next()).toMatchObject({ id: 1, result: { content: [{ text: 'Hello Ada!' }] } });
    expect(await answer.next()).toBeUndefined();
  });

  test('hanging up takes a call of 2026-07-28 back', async () => {
    let tell = (_reason: unknown): void => {};
    const aborted = new Promise((resolve) => {
      tell = resolve;
    });
    server.registerTool('wait', { replace: true }, (_args, ctx) => {
      ctx.reportProgress(1);
      return new Promise((resolve) => {
        ctx.signal.addEventListener('abort', () => {
          tell(ctx.signal.reason);
          resolve('Too late');
        });
      });
    });
    const answer = await send(port, newestCall('wait', {}, { progressToken: 7 }));
    await answer.next();
    answer.hangUp();
    expect(await aborted).toMatchObject({ code: 'aborted' });
  });

  test('a session of 2025-11-25 is opened, called in with progress, and ended with DELETE', async () => {
    const headers = await openSession(port);
    const params = { name: 'hello', arguments: { name: 'Ada' }, _meta: { progressToken: 'p' } };
    const message = { jsonrpc: '2.0', id: 2, method: 'tools/call', params };
    const answer = await send(port, { headers, message });
    expect(answer).toMatchObject({ status: 200, type: 'text/event-stream' });
    expect(await answer.next()).toMatchObject({ method: 'notifications/progress', params: { progressToken: 'p' } });
    expect(await answer.next()).toMatchObject({ id: 2, result: { content: [{ text: 'Hello Ada!' }] } });
    expect(await answer.next()).toBeUndefined();

    expect((await send(port, { method: 'DELETE', headers })).status).toBe(204);
    expect((await send(port, { headers, message })).status).toBe(404);
  });

  test('a session of 2025-11-25 is told of changes on the stream of a GET, until DELETE ends it', async () => {
    const headers = await openSession(port);
    const stream = await listenIn(headers);
    expect(stream).toMatchObject({ status: 200, type: 'text/event-stream' });
    server.registerTool('more', { replace: true }, () => 'more');
    expect(await stream.next()).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await send(port, { method: 'DELETE', headers });
    expect(await stream.next()).toBeUndefined();
  });

  test('a request by another name is refused', async () => {
    const call = newestCall('hello', { name: 'Ada' });
    const answer = await send(port, { ...call, headers: { ...call.headers, host: 'evil.example' } });
    expect(answer.status).toBe(403);
  });

  test('a body that is no JSON gets 400', async () => {
    expect((await send(port, { body: '{"jsonrpc":' })).status).toBe(400);
  });

  test('none of this was worth a word on stderr', () => {
    expect(complaints).not.toHaveBeenCalled();
  });
});

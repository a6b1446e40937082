/** Tasks that come and go leave nothing behind. */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MB = 1024 * 1024;

/** Runs 1,000 tasks at a time, a quarter each: done, answered, cancelled, and left to expire. Prints how the heap grew. */
const SCRIPT = `
  import { memoryTaskStore, tasks } from 'mcpp/extensions/tasks';
  import { McpServer, serve } from 'mcpp/server';
  import { memoryPair } from 'mcpp';
  const store = memoryTaskStore();
  const server = new McpServer({ name: 's', version: '1' }, {
    extensions: [tasks({ store, ttlMs: 500, pollIntervalMs: 100 })],
  });
  const forever = (_, ctx) => new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)));
  server
    .registerTool('done', { task: 'auto' }, () => 'x'.repeat(1000))
    .registerTool('asks', { task: 'auto' }, async (_, ctx) => (await ctx.listRoots()).roots.length)
    .registerTool('works', { task: 'auto' }, forever);
  const [theirs, ours] = memoryPair();
  await serve(server, theirs);
  const waiting = new Map();
  await ours.connect({
    onMessage(message) { waiting.get(message.id)?.(message); waiting.delete(message.id); },
    onError() {},
    onClose() {},
  });
  let id = 0;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { roots: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
  };
  const ask = (method, params) => new Promise((resolve) => {
    waiting.set(++id, resolve);
    ours.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
  });
  const begin = async (name) => (await ask('tools/call', { name, arguments: {} })).result.taskId;
  const FATES = [
    () => begin('done'),
    async () => {
      const taskId = await begin('asks');
      for (;;) {
        const { result } = await ask('tasks/get', { taskId });
        if (result?.status !== 'working') break;
        await new Promise((resolve) => setImmediate(resolve));
      }
      await ask('tasks/update', { taskId, inputResponses: { 'roots-1': { roots: [] } } });
    },
    async () => ask('tasks/cancel', { taskId: await begin('works') }),
    () => begin('works'),
  ];
  const round = async () => {
    await Promise.all(Array.from({ length: 1000 }, (_, number) => FATES[number % FATES.length]()));
    if (store.size === 0) throw new Error('nothing was kept');
    while (store.size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const heap = async () => {
    for (let turn = 0; turn < 5; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      gc();
    }
    return process.memoryUsage().heapUsed;
  };
  await round();
  const before = await heap();
  for (let turn = 0; turn < 3; turn++) await round();
  const after = await heap();
  if (store.watchers > 0 || store.bytes > 0) throw new Error('left: ' + store.watchers + ', ' + store.bytes);
  console.log(after - before);
`;

test('3,000 tasks, of which many expire, leave less than 2 MB of heap', () => {
  const args = ['--expose-gc', '--input-type=module', '-e', SCRIPT];
  const grown = Number(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
  expect(grown).toBeLessThan(2 * MB);
}, 120_000);

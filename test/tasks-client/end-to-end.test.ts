/** Clients of the tasks extension with a server of it, and with servers that are played by hand. */

import { RpcError } from 'mcpp';
import { connect } from 'mcpp/client';
import {
  callToolAsTask,
  type MemoryTaskStore,
  memoryTaskStore,
  resumeTask,
  type TaskHandle,
  tasks,
} from 'mcpp/extensions/tasks';
import { serveHttp } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { testClient } from 'mcpp/testing';
import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import { z } from 'zod';
import { closeAll, eventually, rawServer } from '../http-client/raw-server.ts';
import { PRIOR, play, playStateful } from '../script.ts';
import { pass, question, task } from './fake-peer.ts';

const extensions = [tasks()];

const name = z.object({ name: z.string() });
const stopped = vi.fn();

const server = new McpServer(
  { name: 's', version: '1' },
  { extensions: [tasks({ pollIntervalMs: 50 })], onError: () => {} },
)
  .registerTool(
    'greet',
    {
      task: 'auto',
      inputSchema: z.object({ loud: z.boolean().optional() }),
      outputSchema: z.object({ text: z.string() }),
    },
    async ({ loud }, ctx) => {
      const [first, last] = await Promise.all([ctx.elicit('First name?', name), ctx.elicit('Last name?', name)]);
      const text = [first, last].map((one) => (one.action === 'accept' ? one.content.name : '?')).join(' ');
      return { text: loud ? text.toUpperCase() : text };
    },
  )
  .registerTool('wait', { task: 'auto' }, (_args, ctx) => {
    return new Promise<string>((resolve) => {
      ctx.signal.addEventListener('abort', () => {
        stopped();
        resolve('stopped');
      });
    });
  })
  .registerTool('only', { task: 'required', inputSchema: z.object({ word: z.string() }) }, async ({ word }, ctx) => {
    const answer = await ctx.elicit('First name?', name);
    return answer.action === 'accept' ? `${word}, ${answer.content.name}` : word;
  })
  .registerTool('fail', { task: 'auto' }, () => {
    throw new RpcError(-32000, 'Not today');
  });

const answers = (asked: { params?: unknown }): never =>
  ({
    action: 'accept',
    content: { name: (asked.params as { message: string }).message.startsWith('First') ? 'Ada' : 'Lovelace' },
  }) as never;

afterEach(async () => {
  vi.useRealTimers();
  stopped.mockClear();
  await closeAll();
});

describe('with a server that makes tasks', () => {
  test('callTool gives the result, and both questions are asked on the way', async () => {
    const client = await testClient<typeof server>(server, { extensions, inputResponses: answers });
    const result = await client.callTool('greet', { loud: true });
    expect(result).toMatchObject({ structuredContent: { text: 'ADA LOVELACE' } });
    const sent = client.wire
      .filter(({ from }) => from === 'client')
      .map(({ message }) => (message as { method: string }).method);
    expect([...new Set(sent)]).toEqual(['server/discover', 'tools/call', 'tasks/get', 'tasks/update']);
    expect(sent.filter((method) => method === 'tools/call')).toHaveLength(1);
    await expect(client.callTool('fail')).rejects.toMatchObject({
      name: 'RpcError',
      code: -32000,
      message: 'Not today',
    });
    await client.close();
  });

  test.each(['2026-07-28', '2025-11-25'] as const)('callTool calls what runs only as a task: %s', async (revision) => {
    const client = await testClient<typeof server>(server, { extensions, revision, inputResponses: answers });
    expect(await client.callTool('only', { word: 'Hello' })).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
    const calls = client.wire
      .map(({ message }) => message as { method?: string; params?: Record<string, unknown> })
      .filter(({ method }) => method === 'tools/call')
      .map(({ params }) => params?.['task']);
    // Where clients have to ask for a task, the tool says so by refusing.
    expect(calls).toEqual(revision === '2026-07-28' ? [undefined] : [undefined, {}]);
    await client.close();
  });

  test('a call that is given up reaches the handler', async () => {
    const client = await testClient<typeof server>(server, { extensions });
    const abort = new AbortController();
    const call = client.callTool('wait', {}, { signal: abort.signal });
    await eventually(() => client.wire.some(({ message }) => JSON.stringify(message).includes('tasks/get')));
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    await eventually(() => stopped.mock.calls.length === 1);
    await client.close();
  });

  test('a watched task is told of until it is final', async () => {
    const client = await testClient<typeof server>(server, { extensions });
    const handle = await callToolAsTask(client, 'wait');
    const told: string[] = [];
    const subscription = await handle.watch(({ status }) => told.push(status));
    await handle.cancel();
    await subscription.closed;
    expect(told).toEqual(['working', 'cancelled']);
    await expect(handle.result()).rejects.toMatchObject({ code: 'failed' });
    await client.close();
  });

  test.each(['2026-07-28', '2025-11-25'] as const)(
    'a handle is kept and gone on with over another connection: %s',
    async (revision) => {
      const first = await testClient<typeof server>(server, { extensions, revision, inputResponses: answers });
      const handle = await callToolAsTask(first, 'greet', {});
      expect(handle.taskId).toEqual(expect.any(String));
      const text = JSON.stringify(handle);
      await first.close();

      const second = await testClient<typeof server>(server, { extensions, revision, inputResponses: answers });
      const resumed = resumeTask<{ text: string }>(second, JSON.parse(text));
      const statuses: string[] = [];
      const result = await resumed.result({ onStatus: ({ status }) => statuses.push(status) });
      expect(result).toMatchObject({ structuredContent: { text: 'Ada Lovelace' } });
      expect(await resumed.result()).toBe(result);
      expect(statuses[0]).toBe('input_required');
      await second.close();
    },
  );

  test.each(['2026-07-28', '2025-11-25'] as const)('errors and cancellations: %s', async (revision) => {
    const client = await testClient<typeof server>(server, { extensions, revision });
    const failing = await callToolAsTask(client, 'fail');
    await expect(failing.result()).rejects.toMatchObject({ code: -32000, message: 'Not today' });
    const waiting = await callToolAsTask(client, 'wait');
    await waiting.cancel();
    await eventually(() => stopped.mock.calls.length === 1);
    await expect(waiting.result()).rejects.toMatchObject({ code: 'failed' });
    expect(waiting.task?.status).toBe('cancelled');
    await client.close();
  });

  test('names, arguments and results are typed as those of callTool are', async () => {
    const client = await connect<typeof server>(server, { extensions });
    const handle = await callToolAsTask(client, 'greet', { loud: true });
    expectTypeOf(handle).toEqualTypeOf<TaskHandle<{ text: string }>>();
    expectTypeOf(handle.result).returns.resolves.toHaveProperty('structuredContent');
    // @ts-expect-error there is no such tool
    await expect(callToolAsTask(client, 'nope')).rejects.toThrow();
    // @ts-expect-error there is no such argument
    const wrong = await callToolAsTask(client, 'greet', { loud: 5 });
    expect(await wrong.result()).toHaveProperty('isError', true);
    const untyped = await connect<unknown>(server, { extensions });
    expectTypeOf(await callToolAsTask(untyped, 'greet', {}, { ttlMs: 5 })).toEqualTypeOf<TaskHandle>();
    await Promise.all([client.close(), untyped.close()]);
  });
});

describe('with a server that is started again meanwhile', () => {
  const make = (store: MemoryTaskStore, handler: () => Promise<string>): McpServer =>
    new McpServer(
      { name: 's', version: '1' },
      { extensions: [tasks({ store, pollIntervalMs: 100 })], onError: () => {} },
    ).registerTool('t', { task: 'auto' }, handler);

  test.each([
    ['gives the result, if the tasks are still there', true],
    ['says that the task is gone, if they are not', false],
  ])('callTool %s', async (_, isKept) => {
    const store = memoryTaskStore();
    let finish = (_: string): void => {};
    const handler = (): Promise<string> =>
      new Promise((resolve) => {
        finish = resolve;
      });
    const before = await serveHttp(make(store, handler), { port: 0 });
    const client = await connect(before.url, { extensions });
    const call = client.callTool('t');
    call.catch(() => {});
    await eventually(() => store.size === 1);
    await before.close();
    const port = Number(new URL(before.url).port);
    const after = await serveHttp(make(isKept ? store : memoryTaskStore(), handler), { port });
    finish('Done');
    if (isKept) expect(await call).toMatchObject({ content: [{ text: 'Done' }] });
    else await expect(call).rejects.toMatchObject({ code: -32602, message: /does not know the task any more/ });
    await client.close();
    await after.close();
  });
});

describe('with a server that is played by hand', () => {
  test('giving up and closing the connection at once still cancels the task', async () => {
    vi.useFakeTimers();
    const { script, client } = await play({ extensions });
    const abort = new AbortController();
    const call = client.callTool('t', {}, { signal: abort.signal });
    script.reply({ resultType: 'task', ...task('working') });
    await pass();
    abort.abort();
    const closed = call.catch(() => client.close());
    await closed;
    expect(script.sent.map(({ method, params }) => [method, params?.['taskId']])).toEqual([
      ['tools/call', undefined],
      ['tasks/cancel', 't1'],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a connection that is closed ends the waiting, and leaves nothing behind', async () => {
    vi.useFakeTimers();
    const { script, client } = await play({ extensions });
    const call = client.callTool('t');
    const other = callToolAsTask(client, 't');
    script.reply({ resultType: 'task', ...task('working') }, 1);
    script.reply({ resultType: 'task', ...task('working', { taskId: 't2' }) }, 2);
    const result = (await other).result();
    await pass();
    const rejected = [
      expect(call).rejects.toMatchObject({ code: 'closed' }),
      expect(result).rejects.toMatchObject({ code: 'closed' }),
    ];
    await client.close();
    await pass();
    await Promise.all(rejected);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a limit of the call holds for its task, which is cancelled then', async () => {
    vi.useFakeTimers();
    const { script, client } = await play({ extensions });
    const call = client.callTool('t', {}, { maxTimeout: 3000 });
    const rejected = expect(call).rejects.toMatchObject({ code: 'timeout' });
    script.reply({ resultType: 'task', ...task('working') });
    await pass(3000);
    await rejected;
    expect(script.sent.at(-1)).toMatchObject({ method: 'tasks/cancel', params: { taskId: 't1' } });
    script.reply({ resultType: 'complete' });
    await pass();
    expect(vi.getTimerCount()).toBe(0);
    await client.close();
  });

  test('a question that nobody here can answer ends the call, and its task', async () => {
    vi.useFakeTimers();
    const { script, client } = await play({ extensions });
    const call = client.callTool('t');
    const rejected = expect(call).rejects.toMatchObject({ code: 'refused', message: /^tools\/call "t": / });
    script.reply({ resultType: 'task', ...task('working') });
    await pass(5000);
    script.reply({ resultType: 'complete', ...task('input_required', { inputRequests: { a: question('a') } }) });
    await pass();
    await rejected;
    expect(script.sent.map(({ method }) => method)).toEqual(['tools/call', 'tasks/get', 'tasks/cancel']);
    await client.close();
  });

  test('a result that does not fit the tool is refused, also if it comes by a task', async () => {
    vi.useFakeTimers();
    const { script, client } = await play({ extensions });
    const call = client.callTool('t');
    const rejected = expect(call).rejects.toMatchObject({
      code: 'malformed',
      message: /\/result\/content must be an array/,
    });
    script.reply({ resultType: 'task', ...task('working') });
    await pass(5000);
    script.reply({ resultType: 'complete', ...task('completed', { result: { content: 'text' } }) });
    await rejected;
    await client.close();
  });

  test('a server of 2025-11-25 is asked in its own words', async () => {
    vi.useFakeTimers();
    const capable = { tools: {}, tasks: { requests: { tools: { call: {} } }, cancel: {} } };
    const { script, client } = await playStateful({ extensions }, '2025-11-25', capable);
    const calling = callToolAsTask(client, 't', { a: 1 }, { ttlMs: 1000 });
    expect(script.sent.at(-1)?.params).toMatchObject({ name: 't', arguments: { a: 1 }, task: { ttl: 1000 } });
    const { pollIntervalMs, ttlMs, ...rest } = task('working') as { pollIntervalMs: number; ttlMs: number };
    const old = { ...rest, ttl: ttlMs, pollInterval: pollIntervalMs };
    script.reply({ task: old });
    const result = (await calling).result();
    await pass(5000);
    script.reply({ ...old, status: 'completed' });
    await pass();
    expect(script.sent.at(-1)).toMatchObject({ method: 'tasks/result', params: { taskId: 't1' } });
    script.reply({ content: [] });
    expect(await result).toEqual({ content: [] });
    await client.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('over HTTP the task is named in a header', async () => {
    const raw = await rawServer({
      'tools/call': (visit) => visit.result({ resultType: 'task', ...task('working', { pollIntervalMs: 50 }) }),
      'tasks/get': (visit) =>
        visit.result({ resultType: 'complete', ...task('completed', { result: { content: [] } }) }),
    });
    const client = await connect(raw.url, { extensions, profile: PRIOR });
    await client.callTool('t');
    expect(raw.to('tasks/get')[0]?.headers).toMatchObject({ 'mcp-method': 'tasks/get', 'mcp-name': 't1' });
    await client.close();
  });
});

import { RpcError } from 'mcpp';
import { McpServer } from 'mcpp/server';
import { testClient } from 'mcpp/testing';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { CountingBus, open, quiet, REVISIONS, unhandledDuring } from '../../test/wire.ts';

const make = (onError: () => void = () => {}): McpServer => new McpServer({ name: 's', version: '1' }, { onError });

describe('middleware', () => {
  test.each(REVISIONS)('wraps the handler, the first one outermost: %s', async (revision) => {
    const trail: string[] = [];
    const server = make()
      .use(async (ctx, next) => {
        trail.push(`1 ${ctx.method}`);
        const result = await next();
        trail.push('1 end');
        return result;
      })
      .use((_, next) => {
        trail.push('2');
        return next();
      })
      .registerTool('t', {}, () => {
        trail.push('handler');
        return 'x';
      });
    const wire = await open(server, { revision });
    await quiet();
    trail.length = 0;
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({ content: [{ text: 'x' }] });
    expect(trail).toEqual(['1 tools/call', '2', 'handler', '1 end']);
  });

  test('can return a result without calling the handler', async () => {
    const handler = vi.fn(() => 'x');
    const server = make()
      .use(() => ({ content: [{ type: 'text', text: 'cached' }] }))
      .registerTool('t', {}, handler);
    const wire = await open(server);
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({ content: [{ text: 'cached' }] });
    expect(handler).not.toHaveBeenCalled();
  });

  test('can refuse a request by throwing any error', async () => {
    const onError = vi.fn();
    let fault: unknown = new RpcError(-31000, 'no');
    const server = make(onError).use(() => {
      throw fault;
    });
    const wire = await open(server);
    expect((await wire.call('server/discover')).error).toEqual({ code: -31000, message: 'no' });
    fault = new Error('secret');
    const { error } = await wire.call('server/discover');
    expect(error?.code).toBe(-32603);
    expect(error?.message).not.toContain('secret');
    expect(onError).toHaveBeenCalledTimes(1);
  });

  test('gets the error of a handler, and can return a result instead', async () => {
    const seen: unknown[] = [];
    const server = make()
      .use((_, next) => next().catch((error: unknown) => ({ content: [], seen: seen.push(error) })))
      .registerTool('t', {}, () => {
        throw new RpcError(-31000, 'no');
      });
    const wire = await open(server);
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({ content: [] });
    expect(seen).toMatchObject([{ code: -31000 }]);
    expect((await wire.call('no/such')).result).toBeDefined();
    expect(seen[1]).toMatchObject({ code: -32601 });
  });

  test('can change a list', async () => {
    const server = make()
      .use(async (ctx, next) => {
        const result = await next();
        if (ctx.method !== 'tools/list') return result;
        const { tools } = result as { tools: { name: string }[] };
        return { ...(result as object), tools: tools.filter((tool) => tool.name !== 'b') };
      })
      .registerTool('a', { title: 'A', icons: [{ src: 'https://x' }] }, () => '')
      .registerTool('b', {}, () => '');
    for (const revision of REVISIONS) {
      const { tools } = (await (await open(server, { revision })).call('tools/list')).result as { tools: object[] };
      expect(tools).toHaveLength(1);
      expect('icons' in (tools[0] ?? {})).toBe(revision >= '2025-11-25');
    }
  });

  test('that calls next twice gets an error; the handler runs once', async () => {
    const onError = vi.fn();
    const handler = vi.fn(() => 'x');
    const server = make(onError)
      .use(async (_, next) => {
        await next();
        return next();
      })
      .registerTool('t', {}, handler);
    const wire = await open(server);
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({ isError: true });
    expect(handler).toHaveBeenCalledTimes(1);
    expect(String((onError.mock.calls[0] as unknown[])[0])).toContain('next() was called twice');
  });

  test.each(['2025-11-25', '2026-07-28'])(
    'that returns no result causes an error that names it: %s',
    async (revision) => {
      const onError = vi.fn();
      const server = make(onError)
        .use(async (ctx, next) => {
          const result = await next();
          return ctx.method.startsWith('tools/') ? undefined : result;
        })
        .registerTool('t', {}, () => 'x');
      const wire = await open(server, { revision });
      for (const [method, params] of [
        ['tools/call', { name: 't' }],
        ['tools/list', {}],
      ] as const) {
        onError.mockClear();
        const { error } = await wire.call(method, params);
        expect(onError).toHaveBeenCalledTimes(1);
        const [reported, about] = onError.mock.calls[0] as [Error, { method: string; reference: string }];
        expect(reported.message).toContain(method);
        expect(about.method).toBe(method);
        expect(error).toEqual({ code: -32603, message: `Internal error (reference ${about.reference})` });
      }
    },
  );

  test('that does not await next leaves no unhandled rejection', async () => {
    const server = make()
      .use((_, next) => {
        void next();
        return { content: [] };
      })
      .use((_, next) => next())
      .registerTool('now', {}, () => {
        throw new RpcError(-31000, 'no');
      })
      .registerTool('later', {}, () => Promise.reject(new RpcError(-31000, 'no')))
      .setHandler('com.example/a', () => Promise.reject(new Error('x')));
    const wire = await open(server);
    const unhandled = await unhandledDuring(async () => {
      for (const name of ['now', 'later']) {
        expect((await wire.call('tools/call', { name })).result).toMatchObject({ content: [] });
      }
      expect((await wire.call('com.example/a')).result).toMatchObject({ content: [] });
    });
    expect(unhandled).toEqual([]);
  });

  test('can delay initialize: messages sent after it wait for the session', async () => {
    const trail: string[] = [];
    const server = make()
      .use(async (ctx, next) => {
        await quiet();
        trail.push(`${ctx.method} begins`);
        const result = await next();
        trail.push(`${ctx.method} ends`);
        return result;
      })
      .registerTool('t', {}, (_, ctx) => `${ctx.revision} ${ctx.client?.name}`);
    const wire = await open(server, { revision: 'none' });
    const clientInfo = { name: 'raw', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    wire.say({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    wire.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    wire.say({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 't' } });
    expect((await wire.answerTo(2)).result).toMatchObject({ content: [{ text: '2025-06-18 raw' }] });
    expect(wire.received.map((one) => one.id)).toEqual([1, 2]);
    expect(trail.slice(0, 2)).toEqual(['initialize begins', 'initialize ends']);
    const begun = trail.filter((one) => one.endsWith('begins'));
    expect(begun).toEqual(['initialize begins', 'notifications/initialized begins', 'tools/call begins']);
  });

  test('runs for notifications; its errors are only reported', async () => {
    const seen: string[] = [];
    const onError = vi.fn();
    const server = make(onError).use(async (ctx, next) => {
      seen.push(ctx.method);
      await next();
      if (ctx.method === 'notifications/roots/list_changed') throw new Error('x');
      return {};
    });
    const wire = await open(server, { revision: '2025-11-25' });
    wire.notify('notifications/roots/list_changed');
    await quiet();
    expect(seen).toEqual(['initialize', 'notifications/initialized', 'notifications/roots/list_changed']);
    expect(wire.received).toEqual([]);
    expect(onError).toHaveBeenCalledTimes(1);
  });

  test.each(['2025-11-25', '2026-07-28'] as const)(
    'may ask before the handler runs, and do things once: %s',
    async (r) => {
      const audit = vi.fn(() => 1);
      const server = make()
        .use(async (ctx, next) => {
          if (ctx.method !== 'tools/call') return next();
          await ctx.step('audit', audit);
          const { action } = await ctx.elicit('Really?', z.object({}));
          if (action !== 'accept') throw new RpcError(-31000, 'no');
          return next();
        })
        .registerTool('t', {}, () => 'done');
      const client = await testClient(server, {
        revision: r,
        inputResponses: () => ({ action: 'accept', content: {} }),
      });
      expect(await client.callTool('t')).toMatchObject({ content: [{ text: 'done' }] });
      expect(audit).toHaveBeenCalledTimes(1);
    },
  );

  test('that answers subscriptions/listen itself leaves no watcher', async () => {
    const changes = new CountingBus();
    const server = new McpServer({ name: 's', version: '1' }, { changes })
      .use((_, next) => Promise.race([next(), quiet().then(() => ({}))]))
      .registerTool('t', {}, () => '');
    const wire = await open(server);
    await wire.call('subscriptions/listen', { notifications: { toolsListChanged: true } });
    await wire.disconnect();
    await quiet();
    expect(changes.watchers).toBe(0);
  });

  test('that is still running when the client disconnects leaves no watcher', async () => {
    let goOn = (): void => {};
    const changes = new CountingBus();
    const server = new McpServer({ name: 's', version: '1' }, { changes }).use(async (_, next) => {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      return next();
    });
    const wire = await open(server, { revision: 'none' });
    const clientInfo = { name: 'raw', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    wire.say({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    await wire.disconnect();
    goOn();
    await quiet();
    expect(changes.watchers).toBe(0);
  });
});

test('params are checked before middleware and before handlers of protocol methods', async () => {
  const seen: unknown[] = [];
  const server = new McpServer({ name: 's', version: '1' })
    .use((ctx, next) => {
      seen.push(ctx.method === 'tools/call' ? ctx.params.name : ctx.method);
      return next();
    })
    .registerTool('t', {}, () => 'x');
  const wire = await open(server);
  expect((await wire.call('tools/call', { name: 5 })).error).toEqual({
    code: -32602,
    message: '"name" must be a string',
  });
  expect((await wire.call('tools/call', { name: 't', arguments: [] })).error?.code).toBe(-32602);
  expect(seen).toEqual([]);
  expect((await wire.call('prompts/get', {})).error?.code).toBe(-32601);
  expect((await wire.call('tools/call', { name: 't' })).result).toBeDefined();
  expect(seen).toEqual(['prompts/get', 't']);
  const own = new McpServer({ name: 's', version: '1' }).setHandler('tools/call', ({ name }) => ({
    content: [],
    name,
  }));
  expect((await (await open(own)).call('tools/call', {})).error?.code).toBe(-32602);
});

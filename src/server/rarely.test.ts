/** The first use of what is loaded later: nothing is lost or doubled while it is on its way. */

import { beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { claim, quiet, unhandledDuring, Wire, type WireOptions } from '../../test/wire.ts';
import type { Context } from './context.ts';
import type { McpServer } from './server.ts';
import type { ServedLine } from './serving.ts';

const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
const CAN_ASK = { elicitation: { form: {} } };
const asks = (ctx: Context, key: string) => ctx.elicit(`${key}?`, z.object({ name: z.string() }), { key });

/** A server of modules that nobody has used yet. */
async function fresh(handler: (ctx: Context) => unknown, options: WireOptions = {}) {
  const [{ McpServer }, { serve }] = await Promise.all([import('./server.ts'), import('./serve.ts')]);
  const onError = vi.fn();
  const server = new McpServer({ name: 's', version: '1' }, { onError }).registerTool(
    't',
    {},
    (_, ctx) => handler(ctx as Context) as string,
  );
  const wire = new Wire({ capabilities: CAN_ASK, ...options });
  wire.serving = await serve(server, wire, { ownsProcess: true });
  await wire.greet();
  return { wire, onError, call: () => wire.call('tools/call', { name: 't' }) };
}

beforeEach(() => {
  vi.resetModules();
  vi.doUnmock('./rare.ts');
  vi.doUnmock('./asking.ts');
});

describe('the first questions of a server', () => {
  test('make one round if they are asked together', async () => {
    const { call } = await fresh((ctx) => Promise.all([asks(ctx, 'a'), asks(ctx, 'b')]));
    const { result } = await call();
    expect(Object.keys(result?.['inputRequests'] as object)).toEqual(['a', 'b']);
  });

  test('make one round also if a form has a pattern that takes long to read', async () => {
    const text = { type: 'string' } as const;
    const { call } = await fresh((ctx) =>
      Promise.all([
        ctx.elicit('a?', { type: 'object', properties: { name: { ...text, pattern: '^(ab)+$' } } }),
        ctx.elicit('b?', { type: 'object', properties: { name: text } }),
      ]),
    );
    const { result } = await call();
    const asked = Object.values(result?.['inputRequests'] as Record<string, { params: { message: string } }>);
    expect(asked.map(({ params }) => params.message)).toEqual(['a?', 'b?']);
  });

  test('count although the handler gave up before they could be put', async () => {
    const { call, onError } = await fresh((ctx) => {
      void asks(ctx, 'a');
      throw new Error('too hasty');
    });
    expect((await call()).result).toMatchObject({ resultType: 'input_required' });
    expect(onError).not.toHaveBeenCalled();
  });

  test('count although the handler did not wait for them', async () => {
    const { call } = await fresh((ctx) => {
      void asks(ctx, 'a');
      return 'done';
    });
    expect((await call()).result).toMatchObject({ resultType: 'input_required' });
  });

  test('are answered live, in their order', async () => {
    const asked: unknown[] = [];
    const { call } = await fresh((ctx) => Promise.all([asks(ctx, 'a'), asks(ctx, 'b')]).then(() => 'done'), {
      revision: '2025-11-25',
      answer: (_, { message }) => {
        asked.push(message);
        return { action: 'accept', content: { name: 'x' } };
      },
    });
    expect((await call()).result).toMatchObject({ content: [{ text: 'done' }] });
    expect(asked).toEqual(['a?', 'b?']);
  });

  test('fail if the client goes before they could be put', async () => {
    let failed: unknown;
    const unhandled = await unhandledDuring(async () => {
      const { wire, call } = await fresh(
        async (ctx) => {
          failed = await asks(ctx, 'a').catch((error: unknown) => error);
        },
        { revision: '2025-11-25' },
      );
      void call();
      await wire.disconnect();
      await vi.waitFor(() => expect(failed).toBeDefined());
      expect(wire.notices('elicitation/create')).toEqual([]);
    });
    expect(failed).toMatchObject({ name: 'ConnectionError' });
    expect(unhandled).toEqual([]);
  });
});

describe('the first connection of somebody who is known', () => {
  test('hears what is said as soon as it is connected, and asks for scopes', async () => {
    const [{ McpServer }, { serve }] = await Promise.all([import('./server.ts'), import('./serve.ts')]);
    const server = new McpServer({ name: 's', version: '1' })
      .registerTool('open', {}, () => 'x')
      .registerTool('closed', { scopes: ['files:write'] }, () => 'x');
    const wire = new Wire({});
    const serving = serve(server, wire, { principal: { subject: 'bob', scopes: ['files:read'] } });
    const calls = ['open', 'closed'].map((name) => wire.call('tools/call', { name }));
    expect(wire.received).toEqual([]);
    const [opened, closed] = await Promise.all(calls);
    expect(opened?.result).toMatchObject({ content: [{ text: 'x' }] });
    expect(closed?.error).toMatchObject({ code: -32600, data: { requiredScopes: ['files:write'] } });
    await serving;
  });

  test('is not served if it cannot be a caller', async () => {
    const [{ McpServer }, { serve }] = await Promise.all([import('./server.ts'), import('./serve.ts')]);
    const wire = new Wire({});
    const serving = serve(new McpServer({ name: 's', version: '1' }), wire, { principal: { subject: '' } });
    void wire.call('server/discover');
    await expect(serving).rejects.toThrow('must have a "subject"');
    expect([wire.connected, wire.received]).toEqual([false, []]);
  });
});

test('a request that is cancelled before everything is loaded does not begin', async () => {
  const [{ McpServer }, { serve }] = await Promise.all([import('./server.ts'), import('./serve.ts')]);
  const handler = vi.fn(() => ({}));
  const middleware = vi.fn((_: unknown, next: () => unknown) => next());
  const server = new McpServer({ name: 's', version: '1' }).use(middleware).setHandler('own/method', handler);
  const wire = new Wire({});
  void serve(server, wire, { ownsProcess: true });
  void wire.call('own/method', {}, 1);
  wire.notify('notifications/cancelled', { requestId: 1 });
  await wire.call('server/discover');
  expect([handler, middleware].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
});

describe('the first connection of whoever owns the process', () => {
  const call = (id: number, more: object = {}): object => ({
    id,
    method: 'tools/call',
    params: { name: 't', ...more },
  });

  async function served(prepare: (server: McpServer) => unknown = () => {}) {
    const [{ McpServer: Fresh }, { serve }] = await Promise.all([import('./server.ts'), import('./serve.ts')]);
    const onError = vi.fn();
    const server = new Fresh({ name: 's', version: '1' }, { onError }).registerTool('t', {}, () => 'x');
    prepare(server);
    const wire = new Wire({ revision: 'none' });
    const serving = serve(server, wire, { ownsProcess: true });
    const say = (message: object): void => wire.say({ jsonrpc: '2.0', ...message });
    return { wire, serving, say, onError, ids: () => wire.received.map(({ id }) => id) };
  }

  test('hears what is said as soon as it is connected, also while a schema is read', async () => {
    const { wire, say, serving } = await served((server) =>
      server.registerTool('raw', { inputSchema: { type: 'object' } }, () => 'y'),
    );
    say(call(1, { _meta: claim() }));
    say({ id: 2, method: 'tools/call', params: { name: 'raw', _meta: claim() } });
    await serving;
    expect((await wire.answerTo(1)).result).toMatchObject({ content: [{ text: 'x' }] });
    expect((await wire.answerTo(2)).result).toMatchObject({ content: [{ text: 'y' }] });
  });

  test('may say more than is worked on at the same time: none of it is refused or overtaken', async () => {
    const { wire, say, ids } = await served();
    const count = 3000;
    say({ id: 0, method: 'initialize', params: HELLO });
    for (let id = 1; id < count; id++) say(call(id, id % 2 ? {} : { _meta: claim() }));
    await wire.answerTo(count - 1);
    expect(ids()).toEqual(Array.from({ length: count }, (_, id) => id));
    expect(wire.received.filter(({ error }) => error)).toEqual([]);
  });

  test('may begin with a batch', async () => {
    const { wire, say, ids } = await served();
    say({ id: 0, method: 'initialize', params: { ...HELLO, protocolVersion: '2025-03-26' } });
    wire.say(JSON.stringify([1, 2].map((id) => ({ jsonrpc: '2.0', ...call(id) }))));
    say(call(3));
    await wire.answerTo(2);
    expect(ids().sort()).toEqual([0, 1, 2, 3]);
  });

  test('has its batch begun before what follows, also if the handshake takes time', async () => {
    const begun: unknown[] = [];
    const { wire, say } = await served((server) =>
      server.use(async (ctx, next) => {
        if (ctx.method === 'initialize') await quiet();
        else begun.push((ctx as Context & { id?: unknown }).params['name']);
        return next();
      }),
    );
    say({ id: 0, method: 'initialize', params: { ...HELLO, protocolVersion: '2025-03-26' } });
    wire.say(JSON.stringify([{ jsonrpc: '2.0', ...call(1), params: { name: 'first' } }]));
    say({ ...call(2), params: { name: 'second' } });
    await Promise.all([wire.answerTo(1), wire.answerTo(2)]);
    expect(begun).toEqual(['first', 'second']);
  });

  test('is gone before its handshake is through: what waited for that does not begin', async () => {
    const begun: string[] = [];
    let goOn = (): void => {};
    const { wire, say, serving } = await served((server) =>
      server.use(async (ctx, next) => {
        begun.push(ctx.method);
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        return next();
      }),
    );
    say({ id: 0, method: 'initialize', params: HELLO });
    say(call(1));
    await vi.waitFor(() => expect(begun).toEqual(['initialize']));
    await wire.disconnect();
    await (await serving).closed;
    goOn();
    await quiet();
    expect(begun).toEqual(['initialize']);
  });

  test.each([
    ['closes', (serving: ServedLine) => serving.close({ graceMs: 60_000 })],
    ['retires', (serving: ServedLine) => serving.retire('Time is up')],
  ])('has what it said answered, although the server %s before its handshake is through', async (_how, end) => {
    let goOn = (): void => {};
    const { wire, say, serving } = await served((server) =>
      server.use(async (ctx, next) => {
        await new Promise<void>((resolve) => {
          if (ctx.method === 'initialize') goOn = resolve;
          else setImmediate(resolve);
        });
        return next();
      }),
    );
    const line = (await serving) as ServedLine;
    say({ id: 0, method: 'initialize', params: HELLO });
    say({ ...call(1), params: [] as never });
    say(call(2));
    await quiet();
    const ended = end(line);
    await quiet();
    say(call(3));
    goOn();
    await ended;
    expect(wire.received).toMatchObject([
      { id: 3, error: { code: -32603 } },
      { id: 0, result: {} },
      { id: 1, error: { code: -32602 } },
      { id: 2, result: {} },
    ]);
  });

  test('has what it said refused if the server has no time left for a handshake that takes long', async () => {
    const begun: string[] = [];
    const { wire, say, serving } = await served((server) =>
      server.use((ctx, next) => {
        begun.push(ctx.method);
        return new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve(next())));
      }),
    );
    say({ id: 0, method: 'initialize', params: HELLO });
    say(call(1));
    await vi.waitFor(() => expect(begun).toEqual(['initialize']));
    await (await serving).close();
    expect(begun).toEqual(['initialize']);
    expect(wire.received).toMatchObject([
      { id: 1, error: { message: 'The server is closing' } },
      { id: 0, result: {} },
    ]);
  });

  test('cannot take its handshake back while that is loaded', async () => {
    const { wire, say } = await served();
    say({ id: 0, method: 'initialize', params: HELLO });
    say({ method: 'notifications/cancelled', params: { requestId: 0 } });
    expect((await wire.answerTo(0)).result).toMatchObject({ protocolVersion: '2025-11-25' });
  });

  test('is answered in both families although the server closes before either is loaded', async () => {
    const { wire, say, serving } = await served();
    const line = await serving;
    say({ id: 1, method: 'ping' });
    say(call(2, { _meta: claim() }));
    await line.close();
    expect(wire.received).toMatchObject([1, 2].map((id) => ({ id, result: {} })));
  });

  test('is answered although the server closes before what answers is loaded', async () => {
    const { wire, say, serving } = await served();
    const line = await serving;
    say(call(1, { _meta: claim() }));
    await line.close();
    expect(wire.received).toMatchObject([{ id: 1, result: { content: [{ text: 'x' }] } }]);
    expect(wire.connected).toBe(false);
  });
});

test('a notification of an extension is not overtaken by what follows', async () => {
  const { McpServer } = await import('./server.ts');
  const { serve } = await import('./serve.ts');
  const heard: string[] = [];
  const methods = { 'notifications/x': () => void heard.push('notification') };
  const extension = { id: 'com.example/x', revisions: ['2026-07-28'], server: { answers: 'everybody', methods } };
  const server = new McpServer({ name: 's', version: '1' }, { extensions: [extension as never] }).registerTool(
    't',
    {},
    () => {
      heard.push('tool');
      return 'x';
    },
  );
  const wire = new Wire({});
  void serve(server, wire, { ownsProcess: true });
  wire.notify('notifications/x', { _meta: claim() });
  await wire.call('tools/call', { name: 't' });
  expect(heard).toEqual(['notification', 'tool']);
});

test('a schema is read and compiled once for all calls that wait for it', async () => {
  const compile = vi.fn(() => () => undefined);
  vi.doMock('../schema/engine.ts', () => ({ compile }));
  const { checkedSchema } = await import('../schema/checked.ts');
  const schema = checkedSchema({ type: 'object' }, 'x', 'input');
  const checks = [1, 2, 3].map((a) => schema.check({ a }));
  expect(await Promise.all(checks)).toEqual([1, 2, 3].map((a) => ({ ok: true, value: { a } })));
  expect(compile).toHaveBeenCalledTimes(1);
  vi.doUnmock('../schema/engine.ts');
});

describe('a schema that cannot be used', () => {
  const wrong = (name: string) => ({ type: 'object', properties: { [name]: { $ref: '#/$defs/none' } } }) as const;
  const bad = { inputSchema: wrong('a') };
  const faultOf = (tool: string, property: string): TypeError =>
    new TypeError(`Tool "${tool}": inputSchema/properties/${property}/$ref: leads nowhere in this schema`);

  async function unserved() {
    const [{ McpServer }, { serve }, { Endpoint }] = await Promise.all([
      import('./server.ts'),
      import('./serve.ts'),
      import('../transport/http/server/endpoint.ts'),
    ]);
    const onError = vi.fn();
    const server = new McpServer({ name: 's', version: '1' }, { onError });
    const wire = new Wire({});
    return { server, onError, wire, serve: () => serve(server, wire, { ownsProcess: true }), Endpoint };
  }

  test('is told to who serves, also if it is registered while that waits', async () => {
    const { server, onError, serve, wire } = await unserved();
    server.registerTool('good', { inputSchema: { type: 'object' } }, () => 'x');
    const serving = serve();
    server.registerTool('bad', bad, () => 'x');
    await expect(serving).rejects.toThrow(faultOf('bad', 'a'));
    expect(onError).not.toHaveBeenCalled();
    expect(wire.connected).toBe(false);
  });

  test('is told to who serves, however long after it was registered', async () => {
    const { server, onError, serve } = await unserved();
    server.registerTool('bad', bad, () => 'x');
    await quiet();
    await expect(serve()).rejects.toThrow(faultOf('bad', 'a'));
    expect(onError).not.toHaveBeenCalled();
  });

  test('is told beside others: the first to who serves, the others are reported', async () => {
    const { server, onError, serve } = await unserved();
    server.registerTool('one', { inputSchema: wrong('a') }, () => 'x');
    server.registerTool('two', { inputSchema: wrong('b') }, () => 'x');
    await expect(serve()).rejects.toThrow(faultOf('one', 'a'));
    expect(onError.mock.calls).toEqual([[faultOf('two', 'b'), { method: 'tools/call', name: 'two' }]]);
  });

  test('is reported to who cannot connect either', async () => {
    const { server, onError, serve, wire } = await unserved();
    server.registerTool('bad', bad, () => 'x');
    wire.connect = () => Promise.reject(new Error('nobody there'));
    await expect(serve()).rejects.toThrow('nobody there');
    await vi.waitFor(() => expect(onError.mock.calls[0]?.[0]).toEqual(faultOf('bad', 'a')));
  });

  test('is told to nobody if its tool was taken away or replaced', async () => {
    const { server, onError, serve } = await unserved();
    server.registerTool('gone', bad, () => 'x').registerTool('other', bad, () => 'x');
    server.tools.remove('gone');
    server.registerTool('other', { replace: true }, () => 'x');
    await serve();
    expect(onError).not.toHaveBeenCalled();
  });

  test('is reported where nobody can wait, and does not keep others from being served', async () => {
    const { server, onError, serve, wire, Endpoint } = await unserved();
    server.registerTool('bad', bad, () => 'x');
    new Endpoint(server);
    await vi.waitFor(() => expect(onError).toHaveBeenCalled());
    expect(onError.mock.calls).toEqual([[faultOf('bad', 'a'), { method: 'tools/call', name: 'bad' }]]);
    await serve();
    expect((await wire.call('tools/call', { name: 'bad' })).error).toMatchObject({ code: -32603 });
  });

  test('is refused at once if it is registered while others are served', async () => {
    const { server, onError, serve } = await unserved();
    await serve();
    expect(() => server.registerTool('bad', bad, () => 'x')).toThrow(faultOf('bad', 'a'));
    expect(onError).not.toHaveBeenCalled();
  });
});

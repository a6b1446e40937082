/** The first messages of a connection: none is lost, overtaken or handled twice. */

import { beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { claim, quiet, unhandledDuring, Wire, type WireOptions } from '../../../test/wire.ts';
import type { Context } from '../context.ts';
import { McpServer } from '../server.ts';
import type { TransportConnection } from './connection-options.ts';
import { serve } from './serve.ts';

const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
const CAN_ASK = { elicitation: { form: {} } };
const asks = (ctx: Context, key: string) => ctx.elicit(`${key}?`, z.object({ name: z.string() }), { key });

async function open(handler: (ctx: Context) => unknown, options: WireOptions = {}) {
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

describe('the first input requests of a server', () => {
  test('make one round trip if they are sent together', async () => {
    const { call } = await open((ctx) => Promise.all([asks(ctx, 'a'), asks(ctx, 'b')]));
    const { result } = await call();
    expect(Object.keys(result?.['inputRequests'] as object)).toEqual(['a', 'b']);
  });

  test('make one round trip even if the pattern of a form takes long to check', async () => {
    const text = { type: 'string' } as const;
    const { call } = await open((ctx) =>
      Promise.all([
        ctx.elicit('a?', { type: 'object', properties: { name: { ...text, pattern: '^(ab)+$' } } }),
        ctx.elicit('b?', { type: 'object', properties: { name: text } }),
      ]),
    );
    const { result } = await call();
    const asked = Object.values(result?.['inputRequests'] as Record<string, { params: { message: string } }>);
    expect(asked.map(({ params }) => params.message)).toEqual(['a?', 'b?']);
  });

  test('are sent even if the handler throws', async () => {
    const { call, onError } = await open((ctx) => {
      void asks(ctx, 'a');
      throw new Error('too hasty');
    });
    expect((await call()).result).toMatchObject({ resultType: 'input_required' });
    expect(onError).not.toHaveBeenCalled();
  });

  test('are sent even if the handler does not await them', async () => {
    const { call } = await open((ctx) => {
      void asks(ctx, 'a');
      return 'done';
    });
    expect((await call()).result).toMatchObject({ resultType: 'input_required' });
  });

  test('are answered in order in a stateful session', async () => {
    const asked: unknown[] = [];
    const { call } = await open((ctx) => Promise.all([asks(ctx, 'a'), asks(ctx, 'b')]).then(() => 'done'), {
      revision: '2025-11-25',
      answer: (_, { message }) => {
        asked.push(message);
        return { action: 'accept', content: { name: 'x' } };
      },
    });
    expect((await call()).result).toMatchObject({ content: [{ text: 'done' }] });
    expect(asked).toEqual(['a?', 'b?']);
  });

  test('fail if the client disconnects before they are sent', async () => {
    let failed: unknown;
    const unhandled = await unhandledDuring(async () => {
      const { wire, call } = await open(
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

describe('the first connection with a principal', () => {
  test('handles messages as soon as it is connected, and requires scopes', async () => {
    const server = new McpServer({ name: 's', version: '1' })
      .registerTool('open', {}, () => 'x')
      .registerTool('closed', { scopes: ['files:write'] }, () => 'x');
    const wire = new Wire({});
    const serving = serve(server, wire, { principal: { subject: 'bob', scopes: ['files:read'] } });
    const calls = ['open', 'closed'].map((name) => wire.call('tools/call', { name }));
    const [opened, closed] = await Promise.all(calls);
    expect(opened?.result).toMatchObject({ content: [{ text: 'x' }] });
    expect(closed?.error).toMatchObject({ code: -32600, data: { requiredScopes: ['files:write'] } });
    await serving;
  });

  test('is refused if the principal is not valid', async () => {
    const wire = new Wire({});
    const serving = serve(new McpServer({ name: 's', version: '1' }), wire, { principal: { subject: '' } });
    void wire.call('server/discover');
    await expect(serving).rejects.toThrow('must have a "subject"');
    expect([wire.connected, wire.received]).toEqual([false, []]);
  });
});

describe('the first trusted connection', () => {
  const call = (id: number, more: object = {}): object => ({
    id,
    method: 'tools/call',
    params: { name: 't', ...more },
  });

  async function served(prepare: (server: McpServer) => unknown = () => {}) {
    const onError = vi.fn();
    const server = new McpServer({ name: 's', version: '1' }, { onError }).registerTool('t', {}, () => 'x');
    prepare(server);
    const wire = new Wire({ revision: 'none' });
    const serving = serve(server, wire, { ownsProcess: true });
    const say = (message: object): void => wire.say({ jsonrpc: '2.0', ...message });
    return { wire, serving, say, onError, ids: () => wire.received.map(({ id }) => id) };
  }

  test('is served after the JSON Schema engine is loaded', async () => {
    const { wire, say, serving } = await served((server) =>
      server.registerTool('raw', { inputSchema: { type: 'object' } }, () => 'y'),
    );
    await serving;
    say(call(1, { _meta: claim() }));
    say({ id: 2, method: 'tools/call', params: { name: 'raw', _meta: claim() } });
    expect(wire.received).toHaveLength(2);
    expect((await wire.answerTo(1)).result).toMatchObject({ content: [{ text: 'x' }] });
    expect((await wire.answerTo(2)).result).toMatchObject({ content: [{ text: 'y' }] });
  });

  test('handles more messages than may run at once, without refusal and in order', async () => {
    const { wire, say, ids } = await served();
    const count = 3000;
    say({ id: 0, method: 'initialize', params: HELLO });
    for (let id = 1; id < count; id++) say(call(id, id % 2 ? {} : { _meta: claim() }));
    await wire.answerTo(count - 1);
    expect(ids()).toEqual(Array.from({ length: count }, (_, id) => id));
    expect(wire.received.filter(({ error }) => error)).toEqual([]);
  });

  test('can begin with a batch', async () => {
    const { wire, say, ids } = await served();
    say({ id: 0, method: 'initialize', params: { ...HELLO, protocolVersion: '2025-03-26' } });
    wire.say(JSON.stringify([1, 2].map((id) => ({ jsonrpc: '2.0', ...call(id) }))));
    say(call(3));
    await wire.answerTo(2);
    expect(ids().sort()).toEqual([0, 1, 2, 3]);
  });

  test('handles a batch before later messages, even if the handshake is slow', async () => {
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

  test('does not handle queued messages if the client disconnects during the handshake', async () => {
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
    ['closes', (serving: TransportConnection) => serving.close({ graceMs: 60_000 })],
    ['retires', (serving: TransportConnection) => serving.retire('Time is up')],
  ])('answers queued messages even if the server %s during the handshake', async (_how, end) => {
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
    const line = (await serving) as TransportConnection;
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

  test('refuses queued messages if the handshake exceeds the grace period of close', async () => {
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

  test('ignores a cancellation of initialize', async () => {
    const { wire, say } = await served();
    say({ id: 0, method: 'initialize', params: HELLO });
    say({ method: 'notifications/cancelled', params: { requestId: 0 } });
    expect((await wire.answerTo(0)).result).toMatchObject({ protocolVersion: '2025-11-25' });
  });

  test('answers stateful and stateless requests even if the server closes at once', async () => {
    const { wire, say, serving } = await served();
    const line = await serving;
    say({ id: 1, method: 'ping' });
    say(call(2, { _meta: claim() }));
    await line.close();
    expect(wire.received).toMatchObject([1, 2].map((id) => ({ id, result: {} })));
  });
});

test('a notification of an extension is handled before later messages', async () => {
  const heard: string[] = [];
  const methods = { 'notifications/x': () => void heard.push('notification') };
  const extension = { id: 'com.example/x', revisions: ['2026-07-28'], server: { availableTo: 'all', methods } };
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

describe('calls of a tool with a raw schema', () => {
  beforeEach(() => {
    vi.resetModules();
  });

  test('keep their order while the engine loads', async () => {
    const { McpServer: Fresh } = await import('../server.ts');
    const { serve: serveFresh } = await import('./serve.ts');
    const begun: unknown[] = [];
    const server = new Fresh({ name: 's', version: '1' });
    const wire = new Wire({ revision: '2026-07-28' });
    wire.serving = await serveFresh(server, wire, { ownsProcess: true });
    server.registerTool('raw', { inputSchema: { type: 'object', properties: { n: {} } } }, ({ n }) => {
      begun.push(n);
      return 'x';
    });
    const calls = [1, 2, 3].map((n) => wire.call('tools/call', { name: 'raw', arguments: { n } }));
    expect(begun).toEqual([]);
    void calls[0]?.then(() => wire.call('tools/call', { name: 'raw', arguments: { n: 4 } }));
    await Promise.all(calls);
    await vi.waitFor(() => expect(begun).toEqual([1, 2, 3, 4]));
  });

  test('compile the schema once', async () => {
    const compile = vi.fn(() => (value: unknown) => ({ ok: true, value }));
    vi.doMock('../../schema/check/engine.ts', () => ({ compile }));
    const { checkedSchema } = await import('../../schema/check/checked-schema.ts');
    const schema = checkedSchema({ type: 'object' }, 'x', 'input');
    const checks = [1, 2, 3].map((a) => schema.check({ a }));
    expect(await Promise.all(checks)).toEqual([1, 2, 3].map((a) => ({ ok: true, value: { a } })));
    expect(compile).toHaveBeenCalledTimes(1);
    vi.doUnmock('../../schema/check/engine.ts');
  });
});

test.each([
  [{ properties: { a: { $ref: '#/$defs/none' } } }, '/properties/a/$ref: has no target in this schema'],
  [{ properties: { a: { $ref: 'https://x.example/y' } } }, '/properties/a/$ref: '],
  [{ properties: { a: { pattern: '^(a+)+$' } } }, '/properties/a/pattern: must not repeat a group'],
  [{ properties: { a: { type: 'string', 'x-mcp-header': 'a b' } } }, ': '],
])('registerTool throws the errors of a raw schema: %j', (schema, fault) => {
  const server = new McpServer({ name: 's', version: '1' });
  const config = { inputSchema: { type: 'object', ...schema } } as never;
  expect(() => server.registerTool('bad', config, () => 'x')).toThrow(`Tool "bad": inputSchema${fault}`);
  expect(server.tools.has('bad')).toBe(false);
});

/** The first use of what is loaded later: nothing is lost or doubled while it is on its way. */

import { beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { unhandledDuring, Wire, type WireOptions } from '../../test/wire.ts';
import type { Context } from './context.ts';

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

test.each(['./rare.ts', './asking.ts'])(
  'a call that needs %s fails if that cannot be loaded, and the next may not',
  async (path) => {
    const unhandled = await unhandledDuring(async () => {
      vi.doMock(path, () => {
        throw new Error('no such chunk');
      });
      const { call, wire } = await fresh((ctx) => asks(ctx, 'a'));
      const { result, error } = await call();
      expect(error ?? result).toMatchObject(error ? { code: -32603 } : { isError: true });
      vi.doUnmock(path);
      expect((await call()).result).toMatchObject({ resultType: 'input_required' });
      await wire.disconnect();
    });
    expect(unhandled).toEqual([]);
  },
);

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

test('a request that is cancelled while its revision is loaded does not begin', async () => {
  const [{ McpServer }, { serve }] = await Promise.all([import('./server.ts'), import('./serve.ts')]);
  const handler = vi.fn(() => ({}));
  const middleware = vi.fn((_: unknown, next: () => unknown) => next());
  const server = new McpServer({ name: 's', version: '1' }).use(middleware).setHandler('own/method', handler);
  const wire = new Wire({});
  wire.serving = await serve(server, wire, { ownsProcess: true });
  void wire.call('own/method', {}, 1);
  wire.notify('notifications/cancelled', { requestId: 1 });
  await wire.call('server/discover');
  expect([handler, middleware].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
});

describe('a schema that cannot be used', () => {
  const bad = { inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/none' } } } } as const;
  const fault = 'Tool "bad": inputSchema/properties/a/$ref: leads nowhere in this schema';

  test('is told to who serves, also if it is registered while that waits', async () => {
    const [{ McpServer }, { serve }] = await Promise.all([import('./server.ts'), import('./serve.ts')]);
    const onError = vi.fn();
    const server = new McpServer({ name: 's', version: '1' }, { onError });
    server.registerTool('good', { inputSchema: { type: 'object' } }, () => 'x');
    const serving = serve(server, new Wire({}), { ownsProcess: true });
    server.registerTool('bad', bad, () => 'x');
    await expect(serving).rejects.toThrow(new TypeError(fault));
    expect(onError).not.toHaveBeenCalled();
  });

  test('is reported where nobody waits, and does not keep others from being served', async () => {
    const [{ McpServer }, { serve }] = await Promise.all([import('./server.ts'), import('./serve.ts')]);
    const onError = vi.fn();
    const server = new McpServer({ name: 's', version: '1' }, { onError }).registerTool('bad', bad, () => 'x');
    await vi.waitFor(() => expect(onError).toHaveBeenCalled());
    expect(onError.mock.calls).toEqual([[new TypeError(fault), { method: 'tools/call', name: 'bad' }]]);
    const wire = new Wire({});
    wire.serving = await serve(server, wire, { ownsProcess: true });
    expect((await wire.call('tools/call', { name: 'bad' })).error).toMatchObject({ code: -32603 });
  });
});

import type { Principal } from 'mcpp';
import { type Context, McpServer } from 'mcpp/server';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { open, quiet, REVISIONS, STATEFUL } from '../../test/wire.ts';

const serverWith = (handler: (ctx: Context) => unknown): McpServer<unknown> =>
  new McpServer({ name: 's', version: '1' }, { onError: () => {} }).registerTool(
    't',
    {},
    (_, ctx) => handler(ctx) as string,
  );

const LEVEL = 'io.modelcontextprotocol/logLevel';

// What asks is loaded with the first question, which takes no time by the clock of a test.
beforeAll(async () => {
  const wire = await open(
    serverWith((ctx) => ctx.elicit('?', z.object({}))),
    { capabilities: { elicitation: { form: {} } } },
  );
  await wire.call('tools/call', { name: 't' });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('progress', () => {
  test.each(REVISIONS)(
    'is sent with the token of the request, only if it increases, with its message: %s',
    async (r) => {
      const server = serverWith((ctx) => {
        ctx.reportProgress(1, 10, 'one');
        ctx.reportProgress(1);
        ctx.reportProgress(0.5);
        ctx.reportProgress(Number.NaN);
        ctx.reportProgress(Number.POSITIVE_INFINITY);
        ctx.reportProgress(1.5, Number.NaN);
      });
      const wire = await open(server, { revision: r });
      await wire.call('tools/call', { name: 't', _meta: { progressToken: 0 } });
      const message = r === '2024-11-05' ? {} : { message: 'one' };
      expect(wire.notices('notifications/progress').map((one) => one.params)).toEqual([
        { progressToken: 0, progress: 1, total: 10, ...message },
        { progressToken: 0, progress: 1.5 },
      ]);
    },
  );

  test.each<unknown>([undefined, null, 1.5, {}, [], true])('is not sent without a valid token: %j', async (token) => {
    const wire = await open(serverWith((ctx) => ctx.reportProgress(1)));
    await wire.call('tools/call', { name: 't', ...(token === undefined ? {} : { _meta: { progressToken: token } }) });
    expect(wire.notices('notifications/progress')).toEqual([]);
  });

  test.each(['', '__proto__', 0])('is sent for the token %j', async (progressToken) => {
    const wire = await open(serverWith((ctx) => ctx.reportProgress(1)));
    await wire.call('tools/call', { name: 't', _meta: { progressToken } });
    expect(wire.notices('notifications/progress')).toMatchObject([{ params: { progressToken } }]);
  });

  test.each(REVISIONS)('and log messages are dropped after the response: %s', async (revision) => {
    let late: (() => void) | undefined;
    const server = serverWith((ctx) => {
      late = () => {
        ctx.reportProgress(5);
        ctx.log.emergency('late');
      };
    });
    const wire = await open(server, { revision });
    await wire.call('tools/call', { name: 't', _meta: { progressToken: 1, [LEVEL]: 'debug' } });
    late?.();
    await quiet();
    expect(wire.received).toHaveLength(1);
  });
});

describe('log messages', () => {
  const loud = serverWith((ctx) => {
    for (const level of ['debug', 'info', 'warning', 'error'] as const) ctx.log[level](level, 'l');
    ctx.log.send('notice', { a: 1 });
  });

  test('are sent under 2026-07-28 only if the request has a log level that includes them', async () => {
    const wire = await open(loud);
    await wire.call('tools/call', { name: 't' });
    expect(wire.notices('notifications/message')).toEqual([]);
    await wire.call('tools/call', { name: 't', _meta: { [LEVEL]: 'warning' } });
    expect(wire.notices('notifications/message').map((one) => one.params)).toEqual([
      { level: 'warning', logger: 'l', data: 'warning' },
      { level: 'error', logger: 'l', data: 'error' },
    ]);
    await wire.call('tools/call', { name: 't' });
    expect(wire.notices('notifications/message')).toHaveLength(2);
  });

  test.each([...STATEFUL])('follow logging/setLevel in a session: %s', async (revision) => {
    const wire = await open(loud, { revision });
    expect((await wire.call('logging/setLevel', { level: 'error' })).result).toEqual({});
    await wire.call('tools/call', { name: 't' });
    expect(wire.notices('notifications/message').map((one) => one.params?.['level'])).toEqual(['error']);
    await wire.call('logging/setLevel', { level: 'debug' });
    await wire.call('tools/call', { name: 't' });
    expect(wire.notices('notifications/message').map((one) => one.params?.['level'])).toEqual([
      'error',
      'debug',
      'info',
      'warning',
      'error',
      'notice',
    ]);
  });

  test.each<unknown>(['loud', 5, null, {}, '__proto__'])(
    'have eight levels: logging/setLevel refuses %j',
    async (level) => {
      const session = await open(loud, { revision: '2025-11-25' });
      expect((await session.call('logging/setLevel', { level })).error?.code).toBe(-32602);
      const wire = await open(loud);
      expect((await wire.call('tools/call', { name: 't', _meta: { [LEVEL]: level } })).error?.code).toBe(-32602);
    },
  );

  test('without data have null: the member is required', async () => {
    const wire = await open(serverWith((ctx) => ctx.log.info(undefined)));
    await wire.call('tools/call', { name: 't', _meta: { [LEVEL]: 'debug' } });
    expect(wire.notices('notifications/message').map((one) => one.params)).toEqual([{ level: 'info', data: null }]);
  });

  test('are not sent if the capability logging is false', async () => {
    const server = new McpServer({ name: 's', version: '1' }, { capabilities: { logging: false } }).registerTool(
      't',
      {},
      (_, ctx) => ctx.log.error('x'),
    );
    const wire = await open(server, { revision: '2025-11-25' });
    await wire.call('tools/call', { name: 't' });
    expect(wire.notices('notifications/message')).toEqual([]);
  });
});

describe('the signal', () => {
  test.each(REVISIONS)('is aborted when the client cancels; nothing is sent after that: %s', async (revision) => {
    let seen: Context | undefined;
    const server = serverWith(
      (ctx) =>
        new Promise((resolve) => {
          seen = ctx;
          ctx.signal.addEventListener('abort', () => {
            ctx.reportProgress(9);
            ctx.log.error('x');
            resolve('too late');
          });
        }),
    );
    const wire = await open(server, { revision });
    void wire.call('tools/call', { name: 't', _meta: { progressToken: 1, [LEVEL]: 'debug' } }, 0);
    expect(seen?.signal.aborted).toBe(false);
    wire.notify('notifications/cancelled', { requestId: 0, reason: 'enough' });
    await quiet();
    expect(seen?.signal.aborted).toBe(true);
    expect(seen?.signal.reason).toMatchObject({ code: 'aborted', message: 'enough' });
    expect(wire.received).toEqual([]);
  });

  test('is aborted when the client disconnects, also if the handler reads it only then', async () => {
    let early: Context | undefined;
    const server = serverWith((ctx) => {
      early = ctx;
      return new Promise(() => {});
    });
    const wire = await open(server);
    void wire.call('tools/call', { name: 't' });
    await wire.disconnect();
    expect(early?.signal.aborted).toBe(true);
    expect(early?.signal.reason).toMatchObject({ code: 'closed' });
  });

  test('is aborted when the server closes, and the handler can still return a result', async () => {
    const server = serverWith(
      (ctx) => new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve('rest'))),
    );
    const wire = await open(server);
    const call = wire.call('tools/call', { name: 't' });
    await wire.serving?.close();
    expect((await call).result).toMatchObject({ content: [{ text: 'rest' }] });
  });

  test.each(REVISIONS)('is aborted when the handler exceeds handlerMs, and stays aborted: %s', async (revision) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let seen: Context | undefined;
    const server = new McpServer({ name: 's', version: '1' }, { limits: { handlerMs: 50 } }).registerTool(
      't',
      {},
      (_, ctx) => {
        seen = ctx;
        return new Promise<string>(() => {});
      },
    );
    const wire = await open(server, { revision });
    const call = wire.call('tools/call', { name: 't' });
    await vi.advanceTimersByTimeAsync(49);
    expect([wire.received, seen?.signal.aborted]).toEqual([[], false]);
    await vi.advanceTimersByTimeAsync(1);
    expect((await call).error).toEqual({ code: -32603, message: 'The request took more than 50 ms' });
    expect([seen?.signal.aborted, seen?.signal.aborted, vi.getTimerCount()]).toEqual([true, true, 0]);
  });

  test('is aborted for a handler that reads it after it exceeded handlerMs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let seen: Context | undefined;
    const server = new McpServer({ name: 's', version: '1' }, { limits: { handlerMs: 50 } }).registerTool(
      't',
      {},
      (_, ctx) => {
        seen = ctx;
        return new Promise<string>(() => {});
      },
    );
    const wire = await open(server);
    const call = wire.call('tools/call', { name: 't' });
    await vi.advanceTimersByTimeAsync(50);
    await call;
    expect([seen?.signal.aborted, seen?.signal.aborted]).toEqual([true, true]);
  });

  test('stays aborted for a suspended run that swallows the suspension', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const seen: boolean[] = [];
    let goOn = (): void => {};
    const server = serverWith(async (ctx) => {
      await ctx.elicit('?', z.object({})).catch(() => {});
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      seen.push(ctx.signal.aborted, ctx.signal.aborted);
    });
    const wire = await open(server, { capabilities: { elicitation: { form: {} } } });
    const call = wire.call('tools/call', { name: 't' });
    await quiet();
    await vi.advanceTimersByTimeAsync(2000);
    expect((await call).result?.['resultType']).toBe('input_required');
    goOn();
    await quiet();
    expect(seen).toEqual([true, true]);
  });

  test('is not aborted after the response', async () => {
    let signal: AbortSignal | undefined;
    const server = serverWith((ctx) => {
      signal = ctx.signal;
      return 'x';
    });
    const wire = await open(server);
    await wire.call('tools/call', { name: 't' }, 1);
    wire.notify('notifications/cancelled', { requestId: 1 });
    await wire.disconnect();
    expect(signal?.aborted).toBe(false);
  });
});

describe('the context', () => {
  test.each(REVISIONS)('has the principal, the client info and the capabilities: %s', async (revision) => {
    const seen: unknown[] = [];
    const principal: Principal = { subject: 'alice', issuer: 'https://as', scopes: ['a'] };
    const server = serverWith((ctx) => {
      const can = ['elicitation.form', 'elicitation.url', 'sampling', 'sampling.tools', 'roots'].filter((name) =>
        ctx.can(name),
      );
      seen.push(ctx.revision, ctx.client, ctx.auth, ctx.method, can, ctx.headers);
    });
    const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} } };
    const wire = await open(server, { revision, principal, capabilities });
    await wire.call('tools/call', { name: 't' });
    const can = {
      '2024-11-05': ['sampling'],
      '2025-03-26': ['sampling'],
      '2025-06-18': ['elicitation.form', 'sampling'],
    }[revision as string] ?? ['elicitation.form', 'elicitation.url', 'sampling', 'sampling.tools'];
    expect(seen).toEqual([revision, { name: 'raw', version: '1' }, principal, 'tools/call', can, undefined]);
  });

  test.each(REVISIONS)('has _meta as the client sent it, and its trace context: %s', async (revision) => {
    const seen: unknown[] = [];
    const server = serverWith((ctx) => {
      seen.push(ctx.meta['com.example/a'], ctx.trace, ctx.params['unknown']);
    });
    const wire = await open(server, { revision });
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=b' };
    const _meta = { 'com.example/a': { b: [null] }, ...trace, baggage: 5 };
    await wire.call('tools/call', { name: 't', unknown: { x: 1 }, _meta });
    expect(seen).toEqual([{ b: [null] }, trace, { x: 1 }]);
  });

  test('has an empty _meta if the request has none', async () => {
    const seen: unknown[] = [];
    const server = serverWith((ctx) => {
      seen.push(ctx.meta, ctx.trace);
    });
    const wire = await open(server, { revision: '2025-11-25' });
    await wire.call('tools/call', { name: 't' });
    await wire.call('tools/call', { name: 't', _meta: 5 });
    expect(seen).toEqual([{}, {}, {}, {}]);
  });
});

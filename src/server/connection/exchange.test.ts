import { McpServer, type McpServerOptions } from 'mcpp/server';
import { describe, expect, test, vi } from 'vitest';
import { claim, open, quiet } from '../../../test/wire.ts';

const make = (options: McpServerOptions = {}): McpServer =>
  new McpServer({ name: 's', version: '1' }, { onError: () => {}, ...options });

const LEVEL = 'io.modelcontextprotocol/logLevel';

describe('a client that does not read', () => {
  test.each(['2025-11-25', '2026-07-28'])('gets responses, but no progress and no log messages: %s', async (r) => {
    const server = make().registerTool('t', {}, (_, ctx) => {
      for (let progress = 1; progress < 4; progress++) ctx.reportProgress(progress);
      ctx.log.error('x');
      return 'done';
    });
    const wire = await open(server, { revision: r });
    vi.useFakeTimers();
    const keep = wire.send.bind(wire);
    let read: (() => void)[] = [];
    wire.send = (message) => {
      keep(message);
      return new Promise<void>((resolve) => read.push(resolve));
    };
    const call = (id: number): void => {
      const _meta = { progressToken: id, [LEVEL]: 'debug', ...(r === '2026-07-28' ? claim() : {}) };
      wire.say({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 't', _meta } });
    };
    const seen = (): unknown[] =>
      wire.received.splice(0).map((one) => one.params?.['progress'] ?? one.method ?? one.id);

    // Within one turn nobody can be called slow. The result follows apart from the last progress.
    const everything = [1, 2, 3, 'notifications/message'];
    call(1);
    expect(seen()).toEqual(everything);
    await vi.advanceTimersByTimeAsync(2);
    expect(seen()).toEqual([1]);
    call(2);
    expect(seen()).toEqual([2]);
    for (const one of read) one();
    read = [];
    await vi.advanceTimersByTimeAsync(2);
    call(3);
    expect(seen()).toEqual(everything);
    await vi.advanceTimersByTimeAsync(2);
    expect(seen()).toEqual([3]);
    vi.useRealTimers();
  });
});

describe('a notification', () => {
  test('is dropped while the limit of running notifications is reached', async () => {
    const begun: unknown[] = [];
    const release: (() => void)[] = [];
    const server = make({ limits: { inFlight: 2 } }).setHandler('notifications/own', ({ n }) => {
      begun.push(n);
      return new Promise<void>((resolve) => release.push(resolve));
    });
    const wire = await open(server, { revision: '2025-11-25' });
    await quiet();
    for (const n of [1, 2, 3, 4]) wire.notify('notifications/own', { n });
    await quiet();
    expect(begun).toEqual([1, 2]);
    release[0]?.();
    await quiet();
    for (const n of [5, 6]) wire.notify('notifications/own', { n });
    expect(begun).toEqual([1, 2, 5]);
  });

  test('has a signal that is aborted when the connection ends', async () => {
    const signals: AbortSignal[] = [];
    const server = make().setHandler('notifications/own', (_, ctx) => {
      signals.push(ctx.signal);
      return new Promise(() => {});
    });
    const session = await open(server, { revision: '2025-11-25' });
    session.notify('notifications/own');
    const stateless = await open(server);
    stateless.notify('notifications/own', { _meta: claim() });
    expect(signals.map((signal) => signal.aborted)).toEqual([false, false]);
    await session.disconnect();
    await stateless.disconnect();
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true]);
    expect(signals[0]?.reason).toMatchObject({ code: 'closed' });
  });

  test('with the method of a request is ignored: neither handler nor middleware runs', async () => {
    const handler = vi.fn(() => 'x');
    const middleware = vi.fn((_: unknown, next: () => unknown) => next());
    const server = make().use(middleware).registerTool('t', {}, handler);
    for (const revision of ['2025-11-25', '2026-07-28']) {
      const wire = await open(server, { revision });
      await quiet();
      middleware.mockClear();
      wire.notify('tools/call', { name: 't', ...(revision === '2026-07-28' ? { _meta: claim() } : {}) });
      await quiet();
      expect([handler.mock.calls, middleware.mock.calls, wire.received]).toEqual([[], [], []]);
    }
  });
});

import type { Transport } from 'mcpp';
import { McpServer, type McpServerOptions, type ServedConnection, serve } from 'mcpp/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { open, quiet, REVISIONS, unhandledDuring, type Wire } from '../../../test/wire.ts';

afterEach(() => {
  vi.useRealTimers();
});

function make(options: McpServerOptions = {}): { server: McpServer<unknown>; release: (() => void)[] } {
  const release: (() => void)[] = [];
  const server = new McpServer({ name: 's', version: '1' }, { onError: () => {}, ...options })
    .registerTool('now', {}, () => 'now')
    .registerTool('wait', {}, () => new Promise<string>((resolve) => release.push(() => resolve('waited'))));
  return { server, release };
}

const serving = (wire: Wire): ServedConnection => {
  if (!wire.serving) throw new Error('is not served');
  return wire.serving;
};

describe('ids', () => {
  test.each([0, -1, '', '0', '55', 2 ** 53 - 1, '__proto__', 'constructor', 'toString'])(
    '%j is answered as it was sent, and can be cancelled',
    async (id) => {
      const { server, release } = make();
      const wire = await open(server);
      expect((await wire.call('tools/call', { name: 'now' }, id)).id).toBe(id);
      void wire.call('tools/call', { name: 'wait' }, id);
      wire.notify('notifications/cancelled', { requestId: id });
      for (const one of release) one();
      await quiet();
      expect(wire.received).toHaveLength(1);
    },
  );

  test('a request with the id of a running one is refused; the running one is not affected', async () => {
    const { server, release } = make();
    for (const revision of REVISIONS) {
      const wire = await open(server, { revision });
      release.length = 0;
      const first = wire.call('tools/call', { name: 'wait' }, 77);
      void wire.call('tools/call', { name: 'wait' }, 77);
      await quiet();
      expect(release).toHaveLength(1);
      expect(wire.received).toHaveLength(1);
      expect(wire.received[0]).toMatchObject({ error: { code: -32600 } });
      expect(wire.received[0]?.id ?? undefined).toBeUndefined();
      release[0]?.();
      expect((await first).result).toMatchObject({ content: [{ text: 'waited' }] });
    }
  });

  test('the id of a cancelled request can be reused while its handler still runs', async () => {
    const { server, release } = make();
    const wire = await open(server);
    void wire.call('tools/call', { name: 'wait' }, 1);
    wire.notify('notifications/cancelled', { requestId: 1 });
    const again = wire.call('tools/call', { name: 'wait' }, 1);
    release[0]?.();
    await quiet();
    expect(wire.received).toEqual([]);
    release[1]?.();
    expect((await again).result).toBeDefined();
    expect(wire.received).toHaveLength(1);
  });
});

describe('limits', () => {
  test('requests over the limit are refused; cancelled ones count while their handlers run', async () => {
    const { server, release } = make({ limits: { inFlight: 2 } });
    const wire = await open(server);
    void wire.call('tools/call', { name: 'wait' }, 1);
    void wire.call('tools/call', { name: 'wait' }, 2);
    expect((await wire.call('tools/call', { name: 'now' }, 3)).error?.code).toBe(-32603);
    wire.notify('notifications/cancelled', { requestId: 1 });
    expect((await wire.call('tools/call', { name: 'now' }, 4)).error?.code).toBe(-32603);
    for (const one of release) one();
    await quiet();
    expect((await wire.call('tools/call', { name: 'now' }, 5)).result).toBeDefined();
  });

  test('a connection that reached its limit 100 times has room again', async () => {
    const { server, release } = make({ limits: { inFlight: 3 } });
    const wire = await open(server);
    for (let i = 0; i < 100; i++) {
      void wire.call('tools/call', { name: 'wait' }, `a${i}`);
      void wire.call('tools/call', { name: 'wait' }, `b${i}`);
      wire.notify('notifications/cancelled', { requestId: `a${i}` });
      for (const one of release.splice(0)) one();
      await quiet();
      expect((await wire.call('tools/call', { name: 'now' }, `c${i}`)).result).toBeDefined();
    }
  });
});

describe('close', () => {
  test('refuses new requests, waits graceMs for running ones, then disconnects', async () => {
    const { server, release } = make();
    const wire = await open(server);
    const running = wire.call('tools/call', { name: 'wait' }, 1);
    const closing = serving(wire).close({ graceMs: 60_000 });
    expect((await wire.call('tools/call', { name: 'now' }, 2)).error?.code).toBe(-32603);
    release[0]?.();
    expect((await running).result).toBeDefined();
    await closing;
    expect(wire.connected).toBe(false);
  });

  test('does not wait for a handler that never ends', async () => {
    vi.useFakeTimers();
    const { server } = make();
    const wire = await open(server);
    void wire.call('tools/call', { name: 'wait' }, 1);
    let closed = false;
    void serving(wire)
      .close({ graceMs: 5000 })
      .then(() => {
        closed = true;
      });
    await vi.advanceTimersByTimeAsync(4999);
    expect(closed).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);
    expect([closed, wire.connected, vi.getTimerCount()]).toEqual([true, false, 0]);
  });

  test('can be called twice', async () => {
    const wire = await open(make().server);
    await Promise.all([serving(wire).close(), serving(wire).close()]);
    await serving(wire).close();
    await serving(wire).closed;
  });

  test('resolves when the client disconnects meanwhile', async () => {
    const { server } = make();
    const wire = await open(server);
    void wire.call('tools/call', { name: 'wait' }, 1);
    const closing = serving(wire).close({ graceMs: 600_000 });
    await quiet();
    await wire.disconnect();
    await closing;
  });

  test('sends a response that comes within graceMs', async () => {
    const server = new McpServer({ name: 's', version: '1' }).registerTool('t', {}, async (_, ctx) =>
      String((await ctx.listRoots()).roots.length),
    );
    const wire = await open(server, { revision: '2025-11-25', capabilities: { roots: {} } });
    const call = wire.call('tools/call', { name: 't' }, 'call');
    const { id } = await wire.until((one) => one.method === 'roots/list');
    const closing = serving(wire).close({ graceMs: 1000 });
    await quiet();
    wire.say({ jsonrpc: '2.0', id, result: { roots: [{ uri: 'file:///a' }] } });
    expect((await call).result).toMatchObject({ content: [{ text: '1' }] });
    await closing;
    await serving(wire).closed;
    expect(wire.connected).toBe(false);
  });

  test.each<[string, () => Promise<void>]>([
    ['never tells that it ended', async () => {}],
    ['fails to disconnect', () => Promise.reject(new Error('EPIPE'))],
  ])('settles over a transport that %s, also the second time', async (_, disconnect) => {
    const transport: Transport = {
      cancelsBy: 'notification',
      connected: true,
      connect: async () => {},
      send: () => {},
      disconnect,
    };
    const connection = await serve(make().server, transport);
    const [first, second] = await Promise.allSettled([connection.close(), connection.close()]);
    expect([first?.status, second?.status]).toContain('fulfilled');
    await connection.closed;
    await connection.close();
  });

  test('settles an open input request, and leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const outcome: unknown[] = [];
    const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} }).registerTool('t', {}, (_, ctx) =>
      ctx.listRoots().then(
        () => 'x',
        (error: unknown) => {
          outcome.push(error);
          return 'y';
        },
      ),
    );
    const wire = await open(server, { revision: '2025-11-25', capabilities: { roots: {} } });
    void wire.call('tools/call', { name: 't' });
    await wire.disconnect();
    await quiet();
    expect(outcome).toMatchObject([{ code: 'closed' }]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('an input request', () => {
  const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} }).registerTool(
    't',
    {},
    async (_, ctx) => String((await ctx.listRoots()).roots.length),
  );

  test('is cancelled with its call; a late response is ignored', async () => {
    const wire = await open(server, { revision: '2025-11-25', capabilities: { roots: {} } });
    void wire.call('tools/call', { name: 't' }, 9);
    const { id } = await wire.until((one) => one.method === 'roots/list');
    wire.notify('notifications/cancelled', { requestId: 9 });
    await quiet();
    expect(wire.received.slice(1)).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: id } }]);
    wire.say({ jsonrpc: '2.0', id, result: { roots: [] } });
    await quiet();
    expect(wire.received).toHaveLength(2);
  });

  test.each<[string, object]>([
    ['an error', { error: { code: -1, message: 'no' } }],
    ['a result that is none', { result: 5 }],
    ['a result of another shape', { result: { action: 'accept' } }],
    ['an error that is none', { error: 'no' }],
  ])('that is answered by %s fails its call at once', async (_, answer) => {
    const wire = await open(server, { revision: '2025-11-25', capabilities: { roots: {} } });
    const call = wire.call('tools/call', { name: 't' }, 'call');
    const { id } = await wire.until((one) => one.method === 'roots/list');
    wire.say({ jsonrpc: '2.0', id, ...answer });
    const reply = await call;
    expect(reply.error !== undefined || reply.result?.['isError'] === true).toBe(true);
  });

  test('with an error response fails its call with an error that names both', async () => {
    const wire = await open(server, { revision: '2025-11-25', capabilities: { roots: {} } });
    const call = wire.call('tools/call', { name: 't' }, 'call');
    const { id } = await wire.until((one) => one.method === 'roots/list');
    wire.say({ jsonrpc: '2.0', id, error: { code: -1, message: 'no' } });
    expect((await call).error).toEqual({
      code: -32603,
      message: 'The client answered roots/list with error -1: no',
    });
  });

  test('is cancelled when its call returns without it', async () => {
    const impatient = new McpServer({ name: 's', version: '1' }).registerTool('t', {}, (_, ctx) =>
      Promise.race([ctx.listRoots().then(() => 'asked'), quiet().then(() => 'guessed')]),
    );
    const wire = await open(impatient, { revision: '2025-11-25', capabilities: { roots: {} } });
    const unhandled = await unhandledDuring(async () => {
      const reply = await wire.call('tools/call', { name: 't' }, 'call');
      expect(reply.result).toMatchObject({ content: [{ text: 'guessed' }] });
    });
    const { id } = await wire.until((one) => one.method === 'roots/list');
    expect(wire.notices('notifications/cancelled')).toMatchObject([{ params: { requestId: id } }]);
    expect([unhandled, wire.received.length]).toEqual([[], 3]);
  });

  test('has no idle timeout, only a maximum', async () => {
    vi.useFakeTimers();
    const wire = await open(server, { revision: '2025-11-25', capabilities: { roots: {} } });
    const call = wire.call('tools/call', { name: 't' }, 'call');
    await vi.advanceTimersByTimeAsync(29 * 60_000);
    const asked = wire.received.find((one) => one.method === 'roots/list');
    wire.say({ jsonrpc: '2.0', id: asked?.id, result: { roots: [] } });
    expect((await call).result).toMatchObject({ content: [{ text: '0' }] });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('after the response of its call is not sent', async () => {
    let late: Promise<unknown> | undefined;
    const tardy = new McpServer({ name: 's', version: '1' }).registerTool('t', {}, (_, ctx) => {
      late = quiet().then(() => ctx.listRoots());
      late.catch(() => {});
      return 'x';
    });
    const wire = await open(tardy, { revision: '2025-11-25', capabilities: { roots: {} } });
    await wire.call('tools/call', { name: 't' });
    await quiet();
    await quiet();
    expect(wire.received.filter((one) => one.method !== undefined)).toEqual([]);
  });
});

describe('a batch of 2025-03-26', () => {
  test('with a malformed response fails the input request at once', async () => {
    const server = new McpServer({ name: 's', version: '1' }).registerTool('t', {}, (_, ctx) =>
      ctx.listRoots().then(
        () => 'answered',
        (error: Error & { code: unknown }) => String(error.code),
      ),
    );
    const wire = await open(server, { revision: '2025-03-26', capabilities: { roots: {} } });
    const call = wire.call('tools/call', { name: 't' }, 'call');
    const { id } = await wire.until((one) => one.method === 'roots/list');
    wire.say(`[{"jsonrpc":"2.0","id":${id},"result":5}]`);
    expect((await call).result).toMatchObject({ content: [{ text: 'malformed' }] });
    expect(wire.received).toHaveLength(2);
  });

  test('gets errors without an id for malformed requests with the id of a running call', async () => {
    const { server, release } = make();
    const wire = await open(server, { revision: '2025-03-26' });
    const running = wire.call('tools/call', { name: 'wait' }, 77);
    wire.say('[{"jsonrpc":"2.0","id":77,"method":5},{"jsonrpc":"2.0","id":78,"method":5}]');
    await quiet();
    expect(wire.received).toMatchObject([{ error: { code: -32600 } }, { id: 78, error: { code: -32600 } }]);
    expect(wire.received[0]?.id ?? undefined).toBeUndefined();
    release[0]?.();
    expect((await running).result).toMatchObject({ content: [{ text: 'waited' }] });
  });
});

test('a cancelled call of a batch does not delay the other responses', async () => {
  const { server } = make();
  const wire = await open(server, { revision: '2025-03-26' });
  const one = (id: number, name: string): object => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
  wire.say([one(1, 'wait'), one(2, 'now')]);
  wire.notify('notifications/cancelled', { requestId: 1 });
  await quiet();
  expect(wire.received).toMatchObject([{ id: 2, result: { content: [{ text: 'now' }] } }]);
});

test('a failed send of the transport is reported, and leaves no unhandled rejection', async () => {
  const onError = vi.fn();
  const { server, release } = make({ onError });
  const wire = await open(server, { revision: '2025-11-25' });
  const broken = { now: () => Promise.reject(new Error('EPIPE')) };
  wire.send = () => broken.now() as never;
  const unhandled = await unhandledDuring(async () => {
    wire.say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'now' } });
    wire.say({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'wait' } });
    for (const one of release) one();
    server.tools.disable('now');
    wire.say('garbage');
    await quiet();
  });
  expect(unhandled).toEqual([]);
  expect(onError.mock.calls.length).toBeGreaterThanOrEqual(3);
});

/** `RpcError.tooManyRequests`: 429 with `Retry-After` over HTTP, a JSON-RPC error everywhere else. */

import { connect } from 'mcpp/client';
import { serveHttp } from 'mcpp/http';
import { McpServer, RpcError } from 'mcpp/server';
import { testClient } from 'mcpp/testing';
import { describe, expect, test } from 'vitest';
import { FACES, openSession, post } from './faces.ts';
import { call, initialize, statelessHeaders } from './messages.ts';
import { makeStage } from './stage.ts';

const MESSAGE = 'At most 10 calls a minute';
const ERROR = { code: -32010, message: MESSAGE, data: { retryAfterMs: 2500 } };
const limit = (): never => {
  throw RpcError.tooManyRequests(MESSAGE, { retryAfterMs: 2500 });
};

describe.each(FACES)('through $name', ({ open }) => {
  test('middleware answers 429 with Retry-After in whole seconds, on every revision', async () => {
    const { server } = makeStage();
    server.use((ctx, next) => (ctx.method === 'tools/call' ? limit() : next()));
    const reached = await open(server);
    const modern = call(1, 'echo', {}, true);
    const session = await openSession(reached);
    for (const answer of [
      await post(reached, modern, statelessHeaders(modern)),
      await post(reached, call(1, 'echo'), session),
    ]) {
      expect([answer.status, answer.header('retry-after'), answer.header('content-type')]).toEqual([
        429,
        '3',
        'application/json',
      ]);
      expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, error: ERROR });
    }
    const batch = await post(reached, [call(1, 'echo')], await openSession(reached, { version: '2025-03-26' }));
    expect([batch.status, batch.header('retry-after')]).toEqual([200, undefined]);
    await reached.close();
    const none = await open(server, { sessions: false });
    expect((await post(none, call(1, 'echo'))).status).toBe(429);
    await none.close();
  });

  test('initialize can be refused so, and a handler can, too', async () => {
    const { server } = makeStage();
    server.registerTool('limited', {}, limit);
    const reached = await open(server);
    const limited = call(1, 'limited', {}, true);
    expect((await post(reached, limited, statelessHeaders(limited))).status).toBe(429);
    await reached.close();
    const { server: closed } = makeStage();
    closed.use(limit);
    const shut = await open(closed);
    const answer = await post(shut, initialize());
    expect([answer.status, answer.header('retry-after'), answer.header('mcp-session-id')]).toEqual([
      429,
      '3',
      undefined,
    ]);
    await shut.close();
  });

  test('what was sent before leaves no other way than an error on the stream', async () => {
    const { server } = makeStage();
    server.registerTool('late', {}, async (_, ctx) => {
      ctx.log.info('begun');
      return limit();
    });
    const reached = await open(server);
    const answer = await post(reached, call(1, 'late'), await openSession(reached));
    expect([answer.status, answer.header('retry-after')]).toEqual([200, undefined]);
    expect(await answer.text()).toContain(JSON.stringify(ERROR));
    await reached.close();
  });

  test('an error of the same code without a time is an error like any other', async () => {
    const { server } = makeStage();
    server.registerTool('own', {}, () => {
      throw new RpcError(-32010, 'Mine', { retryAfterMs: 'soon' });
    });
    const reached = await open(server);
    const own = call(1, 'own', {}, true);
    expect((await post(reached, own, statelessHeaders(own))).status).toBe(200);
    await reached.close();
  });
});

test('a time that is none is a mistake of the program', () => {
  for (const retryAfterMs of [-1, Number.NaN, Number.POSITIVE_INFINITY, '5' as never, undefined as never]) {
    expect(() => RpcError.tooManyRequests('x', { retryAfterMs })).toThrow('"retryAfterMs" must be a number');
  }
});

test('on other transports it is a JSON-RPC error', async () => {
  const server = new McpServer({ name: 's', version: '1' });
  server.registerTool('limited', {}, limit);
  const client = await testClient(server);
  await expect(client.callTool('limited')).rejects.toMatchObject({ name: 'RpcError', ...ERROR });
  await client.close();
});

describe('the client of an HTTP server that answers 429', () => {
  async function limited() {
    const server = new McpServer({ name: 's', version: '1' });
    const seen: string[] = [];
    server.registerTool('add', {}, () => 'done');
    server.use((ctx, next) => {
      seen.push(ctx.method);
      const isFirst = seen.filter((one) => one === ctx.method).length === 1;
      if (isFirst && ctx.method === 'tools/list') throw RpcError.tooManyRequests('Wait', { retryAfterMs: 1 });
      return ctx.method === 'tools/call' ? limit() : next();
    });
    const serving = await serveHttp(server, { port: 0 });
    return { serving, seen, mcp: await connect(serving.url) };
  }

  test('waits and sends again what may be sent twice', async () => {
    const { serving, seen, mcp } = await limited();
    const before = performance.now();
    const { tools } = await mcp.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['add']);
    expect(seen.filter((method) => method === 'tools/list')).toHaveLength(2);
    expect(performance.now() - before).toBeGreaterThan(900);
    await mcp.close();
    await serving.close();
  });

  test('rejects everything else with the time after which the server wants to be asked again', async () => {
    const { serving, mcp } = await limited();
    await expect(mcp.callTool('add', {}, { idempotent: false })).rejects.toMatchObject({
      name: 'ConnectionError',
      status: 429,
      retryAfterMs: 3000,
      message: expect.stringContaining(`HTTP status 429: ${MESSAGE}`),
    });
    await mcp.close();
    await serving.close();
  });
});

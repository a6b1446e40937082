/** Streams whose connection is gone without a sign: no end, no reset, only no keep-alives any more. */

import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { connect } from 'mcpp/client';
import { serveHttp } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Answers, closeAll, eventually, rawServer, stateful, stateless, type Visit } from './raw-server.ts';

afterEach(async () => {
  vi.useRealTimers();
  await closeAll();
});

const acknowledge = (visit: Visit): void => {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': visit.message.id };
  const { notifications } = visit.message.params ?? {};
  const method = 'notifications/subscriptions/acknowledged';
  visit.event({ data: { jsonrpc: '2.0', method, params: { notifications, _meta } } });
};

const begin = (visit: Visit, text: string): void => {
  visit.response.writeHead(200, { 'content-type': 'text/event-stream' });
  visit.response.write(text);
};

describe('by the clock', () => {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    });
  });

  /** Lets time pass, with turns of the event loop in between for what comes over the network. */
  async function pass(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += 250) {
      await vi.advanceTimersByTimeAsync(250);
      for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  test('subscriptions/listen is sent again when the promised keep-alives do not come', async () => {
    const server = await rawServer({
      ...stateless,
      'subscriptions/listen': (visit) => {
        begin(visit, ': keep-alive 15000\n');
        acknowledge(visit);
      },
    });
    const states: string[] = [];
    const mcp = await connect(server.url, { onStateChange: (state) => states.push(state) });
    const events: unknown[] = [];
    await mcp.watch('tools', (event) => events.push(event));
    await pass(18_000);
    expect(server.to('subscriptions/listen')).toHaveLength(1);
    await pass(6000);
    await server.to('subscriptions/listen')[0]?.over;
    await eventually(() => events.length === 1);
    expect(events).toEqual([{ type: 'tools', resync: true }]);
    expect(server.to('subscriptions/listen')).toHaveLength(2);
    expect(states).toEqual(['ready']);
    await mcp.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('the stream of a session is resumed from behind its last event', async () => {
    const server = await rawServer({
      ...stateful(),
      GET: (visit) => begin(visit, ': keep-alive 15000\nid: e7\ndata: \n\n'),
    });
    const mcp = await connect(server.url);
    await eventually(() => server.to('GET').length === 1);
    await pass(24_000);
    await server.to('GET')[0]?.over;
    expect(server.to('GET').map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'e7']);
    await mcp.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a session whose server holds on to the lost stream (409) is replaced', async () => {
    const server = await rawServer({
      ...stateful('2025-06-18'),
      GET: (visit) => {
        const isSecond = server.to('GET').filter(({ headers }) => headers['mcp-session-id'] === 's1').length > 1;
        if (visit.headers['mcp-session-id'] === 's1' && isSecond) visit.status(409);
        else begin(visit, ': keep-alive 15000\n\n');
      },
    });
    const onError = vi.fn();
    const mcp = await connect(server.url, { onError });
    const events: unknown[] = [];
    await mcp.watch('tools', (event) => events.push(event));
    await eventually(() => server.to('GET').length === 1);
    await pass(60_000);
    await eventually(() => events.length === 1);
    expect(events).toEqual([{ type: 'tools', resync: true }]);
    expect(server.to('GET').at(-1)?.headers['mcp-session-id']).toBe('s2');
    expect(onError).not.toHaveBeenCalled();
    await mcp.close();
  });

  test('a call of a session goes on where its stream was silent', async () => {
    const server = await rawServer({
      ...stateful(),
      'tools/call': (visit) => begin(visit, 'id: c1\ndata: \n\n: keep-alive 15000\n\n'),
      GET: (visit) => {
        const call = server.to('tools/call')[0];
        if (visit.headers['last-event-id'] !== 'c1' || !call) return visit.status(405);
        visit.event({ id: 'c2', data: call.answer({ content: [] }) });
      },
    });
    const mcp = await connect(server.url);
    const call = mcp.callTool('tool');
    await eventually(() => server.to('tools/call').length === 1);
    await pass(25_000);
    expect(await call).toEqual({ content: [] });
    await mcp.close();
  });

  test('a call that would be lost with its stream is waited for: its server may be busy', async () => {
    const server = await rawServer({
      ...stateless,
      'tools/call': (visit) => begin(visit, ': keep-alive 15000\n\n'),
    });
    const mcp = await connect(server.url);
    const call = mcp.callTool('tool');
    await eventually(() => server.to('tools/call').length === 1);
    await pass(60_000);
    const [visit] = server.to('tools/call');
    visit?.event({ data: visit.answer({ resultType: 'complete', content: [] }) });
    expect(await call).toMatchObject({ content: [] });
    await mcp.close();
  });

  test('the pace of keep-alives without a promise is learned from three of them', async () => {
    const server = await rawServer({ ...stateful(), GET: (visit) => begin(visit, ': hello\n\n') });
    const mcp = await connect(server.url);
    await eventually(() => server.to('GET').length === 1);
    const [stream] = server.to('GET');
    for (let seconds = 0; seconds < 150; seconds += 15) {
      await pass(15_000);
      stream?.response.write(': ping\n\n');
    }
    await pass(500);
    expect(server.to('GET')).toHaveLength(1);
    await pass(25_000);
    expect(server.to('GET')).toHaveLength(2);
    await mcp.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a stream whose server promised nothing may be silent', async () => {
    const server = await rawServer({ ...stateful(), GET: (visit) => begin(visit, ': hello\n: world\n\n') });
    const mcp = await connect(server.url);
    await eventually(() => server.to('GET').length === 1);
    await pass(300_000);
    expect(server.to('GET')).toHaveLength(1);
    await mcp.close();
  });

  test('a session over HTTP+SSE whose stream is silent is replaced, once no call waits', async () => {
    const answers: Answers = {
      'server/discover': (visit) => visit.status(405),
      initialize: (visit) => {
        if (visit.path === '/mcp') return visit.status(405);
        visit.status(202);
        const serverInfo = { name: 'old', version: '1' };
        const data = visit.answer({ protocolVersion: '2024-11-05', capabilities: {}, serverInfo });
        server.to('GET').at(-1)?.event({ event: 'message', data });
      },
      'tools/call': (visit) => visit.status(202),
      GET: (visit) => begin(visit, 'event: endpoint\ndata: /messages\n\n: keep-alive 15000\n\n'),
    };
    const server = await rawServer(answers);
    const onSessionReplaced = vi.fn();
    const mcp = await connect(server.url, { onSessionReplaced });
    const call = mcp.callTool('slow').catch((error: unknown) => error);
    await eventually(() => server.to('tools/call').length === 1);
    await pass(30_000);
    expect(server.to('GET')).toHaveLength(1);
    const [slow] = server.to('tools/call');
    server.to('GET')[0]?.event({ event: 'message', data: slow?.answer({ content: [] }) });
    expect(await call).toEqual({ content: [] });
    await pass(24_000);
    await eventually(() => onSessionReplaced.mock.calls.length === 1);
    expect(server.to('GET')).toHaveLength(2);
    await mcp.close();
  });
});

/** Passes connections on until it is frozen: then nothing of those that are open arrives, and none of them ends. */
async function freezingProxy(port: number): Promise<{ port: number; freeze(): void; close(): void }> {
  const pairs = new Set<{ isFrozen: boolean; sockets: readonly Socket[] }>();
  const proxy = createServer((client) => {
    const server = connectTcp(port, '127.0.0.1');
    const pair = { isFrozen: false, sockets: [client, server] };
    pairs.add(pair);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', (bytes) => !pair.isFrozen && to.write(bytes));
      from.on('error', () => {});
      from.on('close', () => !pair.isFrozen && to.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    port: (proxy.address() as { port: number }).port,
    freeze: () => {
      for (const pair of pairs) pair.isFrozen = true;
    },
    close: () => {
      for (const { sockets } of pairs) for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}

test.each(['2025-11-25', '2026-07-28'] as const)(
  'a change behind a connection that froze is heard of soon after the keep-alive interval, in %s',
  async (revision) => {
    const server = new McpServer({ name: 'notes', version: '1' }).registerTool('first', {}, () => '1');
    server.registerPrompt('first', {}, () => '1');
    const serving = await serveHttp(server, { port: 0, keepAliveMs: 1000 });
    const proxy = await freezingProxy(Number(new URL(serving.url).port));
    const mcp = await connect(`http://127.0.0.1:${proxy.port}${new URL(serving.url).pathname}`, { revision });
    const heard = new Set<string>();
    for (const list of ['tools', 'prompts']) await mcp.watch(list, ({ type }) => heard.add(type));
    // The stream of a session is opened after the session.
    for (let count = 0; !heard.has('tools'); count++) {
      server.registerTool(`early-${count}`, {}, () => '2');
      await new Promise((resolve) => setImmediate(resolve));
    }
    proxy.freeze();
    server.registerPrompt('late', {}, () => '3');
    // 1.5 intervals until the stream counts as lost, a second until it is opened again.
    await vi.waitFor(() => expect(heard).toContain('prompts'), { timeout: 4000, interval: 20 });
    await mcp.close();
    proxy.close();
    await serving.close();
  },
);

/** Transports with a connection: it belongs to whoever opened it, from its beginning to its end. */

import { connect } from 'mcpp/client';
import { McpServer } from 'mcpp/server';
import { serveWebSocket, type WebSocketServerHandle, webSocketTransport } from 'mcpp/websocket';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { nextMessage } from '../http/events.ts';
import { type Answer, FACES, type Reached } from '../http/faces.ts';
import { call, type Headers, initialize, notification, POST } from '../http/messages.ts';
import { as, auth, OTHERS } from './people.ts';

function make(): McpServer {
  const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} });
  server
    .registerTool('who', {}, (_, ctx) => JSON.stringify(ctx.auth))
    .registerTool('secret', { scopes: ['a'] }, () => 'hers')
    .registerTool('ask', {}, async (_, ctx) => (await ctx.elicit('Who?', z.object({ name: z.string() }))).action);
  return server;
}

describe.each(FACES)('HTTP+SSE through $name', ({ open }) => {
  let reached: Reached;
  afterEach(() => reached.close());

  async function openLine() {
    reached = await open(make(), { auth, sse: true });
    const stream = await reached.send({ method: 'GET', headers: { accept: 'text/event-stream', ...as('alice') } });
    const target = (await stream.next())?.data ?? '';
    const say = (message: unknown, headers: Headers): Promise<Answer> =>
      reached.send({ target, headers: { ...POST, ...headers }, body: JSON.stringify(message) });
    await say(initialize('2024-11-05'), as('alice'));
    await nextMessage(stream);
    await say(notification('notifications/initialized'), as('alice'));
    return { stream, target, say };
  }

  test.each(OTHERS)('%s posts to where there is nothing; nothing reaches the stream', async (token) => {
    const { stream, target, say } = await openLine();
    const theirs = await say(call(1, 'who'), as(token));
    const unknown = await reached.send({
      target: target.replace(/sessionId=.*/, 'sessionId=unknown'),
      headers: { ...POST, ...as(token) },
      body: JSON.stringify(call(1, 'who')),
    });
    expect([theirs.status, await theirs.text()]).toEqual([404, await unknown.text()]);
    await say(call(2, 'who'), as('alice'));
    expect(await nextMessage(stream)).toMatchObject({ id: 2 });
    stream.hangUp();
  });

  test('with another token of hers Alice goes on, as whom it says', async () => {
    const { stream, say } = await openLine();
    expect((await say(call(1, 'who'), as('alice-refreshed'))).status).toBe(202);
    const { result } = (await nextMessage(stream)) as { result: { content: [{ text: string }] } };
    expect(JSON.parse(result.content[0].text)).toMatchObject({ subject: 'alice', scopes: ['b'] });
    stream.hangUp();
  });
});

describe('WebSocket', () => {
  const open: WebSocketServerHandle[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });

  async function listening(server = make()): Promise<string> {
    const serving = await serveWebSocket(server, { port: 0, auth });
    open.push(serving);
    return serving.url;
  }
  const client = (url: string, token: string) =>
    connect(webSocketTransport(url, { headers: as(token) }), { onElicit: async () => ({ action: 'decline' }) });

  test('each connection is one caller’s, whatever its messages say', async () => {
    const url = await listening();
    const connections = await Promise.all(['alice', ...OTHERS].map((token) => client(url, token)));
    const seen = await Promise.all(
      connections.map(async (mcp) => {
        const { content } = await mcp.callTool('who', {}, { meta: { 'x/auth': 'alice' }, headers: as('alice') });
        return (content[0] as { text: string }).text;
      }),
    );
    expect(new Set(seen).size).toBe(connections.length);
    expect(JSON.parse(seen[1] ?? '')).toMatchObject({ subject: 'bob' });
    await Promise.all(connections.map((mcp) => mcp.close()));
  });

  test('what was granted to one connection is not granted to another', async () => {
    const url = await listening();
    const hers = await client(url, 'alice');
    const theirs = await client(url, 'bob');
    expect(await hers.callTool('secret')).toMatchObject({ content: [{ text: 'hers' }] });
    await expect(theirs.callTool('secret')).rejects.toMatchObject({
      name: 'RpcError',
      code: -32600,
      message: 'This request requires the scope a',
      data: { requiredScopes: ['a'] },
    });
    await Promise.all([hers.close(), theirs.close()]);
  });

  test('without "auth" what needs a scope is refused to everybody', async () => {
    const serving = await serveWebSocket(make(), { port: 0 });
    open.push(serving);
    const mcp = await connect(webSocketTransport(serving.url));
    await expect(mcp.callTool('secret')).rejects.toMatchObject({
      code: -32600,
      message: expect.stringContaining('set the option "auth"'),
    });
    await mcp.close();
  });
});

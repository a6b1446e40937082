/** `nodeHandler` behind Node's HTTP/2 server. */

import { once } from 'node:events';
import { type ClientHttp2Session, connect, createServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { nodeHandler } from 'mcpp/http';
import { expect, onTestFinished, test } from 'vitest';
import { call, type Message, statelessHeaders } from './messages.ts';
import { makeStage } from './stage.ts';

async function openHttp2(): Promise<{ client: ClientHttp2Session; session: ServerHttp2Session }> {
  const handler = nodeHandler(makeStage().server);
  // The types of Node's two servers are not the same; what the handler uses of them is.
  const http = createServer((request, response) => void handler(request as never, response as never));
  const opened = once(http, 'session');
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const client = connect(`http://localhost:${(http.address() as AddressInfo).port}`);
  const [session] = (await opened) as [ServerHttp2Session];
  onTestFinished(() => {
    client.destroy();
    http.close();
  });
  return { client, session };
}

async function post(client: ClientHttp2Session, message: Message, headers: object = {}): Promise<[number, string]> {
  const path = { ':method': 'POST', ':path': '/mcp' };
  const stream = client.request({ ...path, ...statelessHeaders(message), ...headers });
  const answered = once(stream, 'response');
  stream.end(JSON.stringify(message));
  const [{ ':status': status }] = (await answered) as [{ ':status': number }];
  return [status, await text(stream)];
}

test('calls are answered, and the host is that of ":authority"', async () => {
  const { client } = await openHttp2();
  const [status, body] = await post(client, call(1, 'echo', { text: 'hi' }, true));
  expect([status, JSON.parse(body)]).toMatchObject([200, { id: 1, result: { content: [{ text: 'hi' }] } }]);
  const [refused] = await post(client, call(2, 'echo', { text: 'hi' }, true), { ':authority': 'evil.example' });
  expect(refused).toBe(403);
});

test('large answers leave nothing behind at the connection, which others share', async () => {
  const { client, session } = await openHttp2();
  const listeners = (): number => session.listenerCount('timeout') + session.socket.listenerCount('timeout');
  const before = listeners();
  for (let id = 1; id <= 3; id++) {
    const [status, body] = await post(client, call(id, 'echo', { text: 'x'.repeat(300_000) }, true));
    expect([status, body.length]).toEqual([200, expect.any(Number)]);
    expect(body.length).toBeGreaterThan(300_000);
  }
  expect(listeners()).toBe(before);
});

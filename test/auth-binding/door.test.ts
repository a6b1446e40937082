/** Whoever shows nothing gets 401 and the way in, by every method, at every door, before anything it sent is read. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetchHandler } from 'mcpp/fetch';
import { nodeHandler, serveHttp } from 'mcpp/http';
import { serveWebSocket } from 'mcpp/websocket';
import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, FACES, openSession, type Reached } from '../http/faces.ts';
import { initialize, POST, stateless, statelessHeaders } from '../http/messages.ts';
import { connectTo, rawRequest } from '../http/raw.ts';
import { makeStage } from '../http/stage.ts';
import { opening, RawClient } from '../websocket/raw.ts';
import { as, auth, CHALLENGE } from './people.ts';

const METHODS = ['POST', 'GET', 'DELETE', 'HEAD', 'PUT', 'PATCH'];
const MODES = [
  ['with sessions', {}],
  ['without sessions', { sessions: false }],
  ['with the old transport', { sse: true }],
] as const;
/** What a caller may show that is nothing. */
const NOTHING: readonly Readonly<Record<string, string>>[] = [
  {},
  { authorization: '' },
  { authorization: 'Bearer' },
  { authorization: 'Bearer ' },
  { authorization: 'alice' },
  { authorization: 'Bearer alice bob' },
  { authorization: 'Bearer alice, Bearer alice' },
  { authorization: 'Bearer "alice"' },
  { authorization: 'Bearer a\tb' },
  { 'x-authorization': 'Bearer alice' },
  { cookie: 'token=alice' },
];

describe.each(FACES)('through $name', ({ open }) => {
  let reached: Reached;
  afterEach(() => reached.close());

  const expectChallenged = async (answer: Answer, what: unknown): Promise<void> => {
    expect([what, answer.status, answer.header('www-authenticate')]).toEqual([what, 401, CHALLENGE]);
    expect(answer.header('mcp-session-id')).toBeUndefined();
    await answer.text();
  };

  test.each(MODES)('%s: every method, whatever is asked for', async (_, options) => {
    const stage = makeStage();
    reached = await open(stage.server, { auth, ...options });
    const list = stateless(1, 'tools/list');
    const heads = [
      { accept: 'text/event-stream' },
      { ...POST, 'mcp-session-id': 'x' },
      { ...POST, 'last-event-id': 'get-x.0', 'mcp-session-id': 'x' },
      statelessHeaders(list),
    ];
    for (const method of METHODS) {
      for (const target of ['/mcp', '/mcp?sessionId=x', '/mcp?access_token=alice', '/elsewhere']) {
        for (const headers of heads) {
          const body = method === 'POST' ? { body: JSON.stringify(initialize()) } : {};
          await expectChallenged(await reached.send({ method, target, headers, ...body }), [method, target]);
        }
      }
    }
    expect(stage.errors).toEqual([]);
  });

  test('a session, its stream and its end', async () => {
    reached = await open(makeStage().server, { auth });
    const { authorization: _, ...session } = await openSession(reached, { headers: as('alice') });
    for (const method of ['POST', 'GET', 'DELETE']) {
      const headers = { ...POST, ...session, ...(method === 'GET' ? { accept: 'text/event-stream' } : {}) };
      const body = method === 'POST' ? { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' } : {};
      await expectChallenged(await reached.send({ method, headers, ...body }), method);
    }
    const ended = await reached.send({ method: 'DELETE', headers: { ...session, ...as('alice') } });
    expect(ended.status).toBe(204);
  });

  test('the old transport: its stream, and where that says to post', async () => {
    reached = await open(makeStage().server, { auth, sse: true });
    const accept = { accept: 'text/event-stream' };
    await expectChallenged(await reached.send({ method: 'GET', headers: accept }), 'GET');
    const stream = await reached.send({ method: 'GET', headers: { ...accept, ...as('alice') } });
    const target = (await stream.next())?.data ?? '';
    expect(target).toContain('sessionId=');
    const post = { target, headers: POST, body: JSON.stringify(initialize('2024-11-05')) };
    await expectChallenged(await reached.send(post), 'POST');
    stream.hangUp();
  });

  test('what is no credentials is none', async () => {
    reached = await open(makeStage().server, { auth });
    for (const headers of NOTHING) {
      const answer = await reached.send({ headers: { ...POST, ...headers }, body: JSON.stringify(initialize()) });
      await expectChallenged(answer, headers);
    }
    await expectChallenged(await reached.send({ headers: { ...POST, ...as('mallory') }, body: '{}' }), 'mallory');
  });
});

describe('before the body is read', () => {
  test('on Node: the answer is there while the body is still to come', async () => {
    const handler = nodeHandler(makeStage().server, { auth });
    const http = createServer(handler);
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    for (const length of ['Content-Length: 1000000', 'Transfer-Encoding: chunked']) {
      const connection = await connectTo(port);
      const fields = ['Host: localhost', 'Content-Type: application/json', length];
      connection.write(rawRequest('POST /mcp HTTP/1.1', fields));
      const { status, head } = await connection.answer();
      expect([status, head]).toEqual([401, expect.stringContaining(`www-authenticate: ${CHALLENGE}\r\n`)]);
      connection.destroy();
    }
    await handler.close();
    http.close();
    http.closeAllConnections();
  });

  test('through fetch: nobody has touched the body', async () => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({ pull: () => void pulls++ }, { highWaterMark: 0 });
    const init = { method: 'POST', headers: POST, body, duplex: 'half' as const };
    const request = new Request('http://localhost/mcp', init);
    expect((await fetchHandler(makeStage().server, { auth })(request)).status).toBe(401);
    expect([pulls, request.bodyUsed]).toEqual([0, false]);
  });
});

test('serveHttp: its endpoint challenges, and elsewhere there is nothing to be let in to', async () => {
  const { url, close } = await serveHttp(makeStage().server, { port: 0, auth });
  const answer = await fetch(url, { method: 'POST', headers: POST, body: '{}' });
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, CHALLENGE]);
  expect((await fetch(new URL('/other', url), { method: 'POST', headers: POST, body: '{}' })).status).toBe(404);
  await close();
});

describe('WebSocket', () => {
  test.each(NOTHING)('an upgrade with %j gets 401', async (headers) => {
    const serving = await serveWebSocket(makeStage().server, { port: 0, auth });
    const client = new RawClient(serving.url);
    const { status, head } = await client.ask(opening(serving.url, headers));
    expect([status, head]).toEqual([401, expect.stringContaining(`\r\nwww-authenticate: ${CHALLENGE}\r\n`)]);
    await serving.close();
  });

  test('frames that come with the opening request are not read before somebody is let in', async () => {
    const stage = makeStage();
    const serving = await serveWebSocket(stage.server, { port: 0, auth });
    const client = new RawClient(serving.url);
    const frame = '\x81\x85\x00\x00\x00\x00hello';
    const { status } = await client.ask(opening(serving.url) + frame);
    expect([status, stage.errors]).toEqual([401, []]);
    await serving.close();
  });
});

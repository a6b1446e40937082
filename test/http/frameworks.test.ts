/** Handlers within frameworks, which may have read the body, taken a part off the path, or mounted it anywhere. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { fetchHandler } from 'mcpp/fetch';
import { type HttpRequest, nodeHandler } from 'mcpp/http';
import type { Principal } from 'mcpp/server';
import { afterEach, describe, expect, test } from 'vitest';
import { call, initialize, notification, POST, statelessHeaders } from './messages.ts';
import { makeStage } from './stage.ts';

const echo = call(1, 'echo', { text: 'hi' }, true);
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function send(url: string, message: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { ...POST, ...headers }, body: JSON.stringify(message) });
}

async function works(url: string): Promise<void> {
  const answer = await send(url, echo, statelessHeaders(echo));
  expect([answer.status, await answer.json()]).toMatchObject([200, { id: 1, result: { content: [{ text: 'hi' }] } }]);
  const opened = await send(url, initialize());
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  expect((await send(url, notification('notifications/initialized'), session)).status).toBe(202);
  expect((await fetch(url, { method: 'DELETE', headers: session })).status).toBe(204);
}

test.each([
  ['that reads no bodies', []],
  ['that reads JSON', [express.json()]],
  ['that reads text', [express.text({ type: '*/*' })]],
  ['that reads bytes', [express.raw({ type: '*/*' })]],
])('Express %s', async (_, parsers) => {
  const app = express();
  for (const parser of parsers) app.use(parser);
  app.all('/mcp', nodeHandler(makeStage().server));
  await works(`${await listen(createServer(app))}/mcp`);
});

test.each(['hi', 'hé 世界'])('somebody before the handler asked for text: %s', async (text) => {
  const handler = nodeHandler(makeStage().server);
  const url = await listen(createServer((request, response) => handler(request.setEncoding('utf8'), response)));
  const message = call(1, 'echo', { text }, true);
  const answer = await send(`${url}/mcp`, message, statelessHeaders(message));
  expect([answer.status, await answer.json()]).toMatchObject([200, { result: { content: [{ text }] } }]);
});

test('Express with a handler that is mounted: what it took off the path is still there', async () => {
  const app = express();
  app.use('/api/mcp', express.json(), nodeHandler(makeStage().server, { sse: true }));
  const url = `${await listen(createServer(app))}/api/mcp`;
  await works(url);
  const hangUp = new AbortController();
  const stream = await fetch(url, { headers: { accept: 'text/event-stream' }, signal: hangUp.signal });
  const { value } = (await stream.body?.getReader().read()) ?? {};
  expect(new TextDecoder().decode(value)).toMatch(/^event: endpoint\ndata: \/api\/mcp\?sessionId=/);
  hangUp.abort();
});

test('Express, behind something that takes its time: the body waits', async () => {
  const app = express();
  app.use((_request, _response, next) => void setImmediate(() => setImmediate(next)));
  app.all('/mcp', nodeHandler(makeStage().server));
  await works(`${await listen(createServer(app))}/mcp`);
});

test('Fastify, with the body it has parsed', async () => {
  const app = fastify();
  const handler = nodeHandler(makeStage().server);
  app.all('/mcp', (request, reply) => {
    reply.hijack();
    handler(request.raw, reply.raw, request.body);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  open.push(() => app.close());
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`;
  await works(url);
  const none = await send(url, null);
  expect([none.status, await none.json()]).toMatchObject([400, { error: { code: -32600 } }]);
});

test('Hono, with the request as it came', async () => {
  const handler = fetchHandler(makeStage().server);
  const app = new Hono().all('/mcp', (context) => handler(context.req.raw));
  const answer = await app.request('http://localhost/mcp', {
    method: 'POST',
    headers: statelessHeaders(echo),
    body: JSON.stringify(echo),
  });
  expect([answer.status, await answer.json()]).toMatchObject([200, { result: { content: [{ text: 'hi' }] } }]);
});

test('a parsed body has the same limits of structure as one that is parsed here', async () => {
  const app = express();
  app.use(express.json({ limit: '4mb' }));
  app.all('/mcp', nodeHandler(makeStage().server, { limits: { depth: 10, elements: 100 } }));
  const url = `${await listen(createServer(app))}/mcp`;
  const deep = JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`);
  for (const argument of [deep, Array.from({ length: 101 }, () => 0)]) {
    const message = call(1, 'echo', { text: argument }, true);
    const answer = await send(url, message, statelessHeaders(message));
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: -32600 } }]);
  }
  await works(url);
});

test('a body that somebody read and threw away is told to the server at once, and to nobody else', async () => {
  const stage = makeStage();
  const handler = nodeHandler(stage.server);
  const server = createServer((request, response) => {
    request.resume().on('end', () => handler(request, response));
  });
  const answer = await send(await listen(server), echo, statelessHeaders(echo));
  expect([answer.status, await answer.json()]).toEqual([
    500,
    { jsonrpc: '2.0', error: { code: -32603, message: 'Internal error' } },
  ]);
  expect(String(stage.errors[0])).toContain('The body was read before the handler got the request');

  const web = fetchHandler(stage.server);
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: statelessHeaders(echo),
    body: JSON.stringify(echo),
  });
  await request.text();
  expect((await web(request)).status).toBe(500);
});

test('a body that somebody is reading is not waited for', async () => {
  const stage = makeStage();
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: statelessHeaders(echo),
    body: JSON.stringify(echo),
  });
  const reader = request.body?.getReader();
  expect((await fetchHandler(stage.server)(request)).status).toBe(500);
  reader?.releaseLock();
});

test('an authenticator whose answer makes no sense lets nobody in, and harms nobody', async () => {
  for (const outcome of [
    undefined,
    {},
    true,
    { status: 401, headers: { 'WWW-Authenticate': 'Bearer realm="a\r\nb"' } },
    { status: 4000 },
  ]) {
    const stage = makeStage();
    const answer = await fetchHandler(stage.server, { auth: () => outcome as never })(
      new Request('http://localhost/mcp', { method: 'POST', headers: POST, body: '{}' }),
    );
    expect(answer.status).toBe(500);
    const handler = nodeHandler(stage.server, { auth: () => outcome as never });
    expect((await send(await listen(createServer(handler)), echo, statelessHeaders(echo))).status).toBe(500);
    expect(stage.errors.length).toBe(2);
  }
});

test('handlers see the header fields of their request, but not what proved who is calling', async () => {
  const stage = makeStage();
  stage.server.registerTool('headers', {}, (_, ctx) => JSON.stringify(Object.fromEntries(ctx.headers ?? [])));
  const message = call(1, 'headers', {}, true);
  const fields = { ...statelessHeaders(message), authorization: 'Bearer secret', 'x-tenant': 'a' };
  for (const auth of [() => ({ subject: 'alice' }), undefined]) {
    const handler = fetchHandler(stage.server, { auth });
    const body = JSON.stringify(message);
    const answer = await handler(new Request('http://localhost/mcp', { method: 'POST', headers: fields, body }));
    const { result } = (await answer.json()) as { result: { content: [{ text: string }] } };
    const seen = JSON.parse(result.content[0].text);
    expect([seen['x-tenant'], seen['authorization']]).toEqual(['a', auth ? undefined : 'Bearer secret']);
  }
});

describe('an authenticator within a framework gets its request', () => {
  const seen: unknown[] = [];
  const auth = (_: unknown, { raw }: HttpRequest): Principal => {
    seen.push(raw);
    return { subject: (raw as { user?: string }).user ?? 'nobody' };
  };
  const subjectAt = async (url: string): Promise<unknown> => {
    const who = call(1, 'who', {}, true);
    const answer = await send(url, who, statelessHeaders(who));
    return ((await answer.json()) as { result: { content: [{ text: string }] } }).result.content[0].text;
  };
  const stage = () => {
    const { server } = makeStage();
    return server.registerTool('who', {}, (_, ctx) => ctx.auth?.subject ?? '');
  };

  test('Express: what other middleware has put there', async () => {
    const app = express();
    app.use((request, _, next) => {
      Object.assign(request, { user: 'ada' });
      next();
    });
    app.all('/mcp', nodeHandler(stage(), { auth }));
    expect(await subjectAt(`${await listen(createServer(app))}/mcp`)).toBe('ada');
    expect(seen.pop()).toMatchObject({ originalUrl: '/mcp' });
  });

  test('the web: the Request', async () => {
    const handler = fetchHandler(stage(), { auth });
    const app = new Hono();
    app.all('/mcp', (context) => handler(Object.assign(context.req.raw, { user: 'bob' })));
    const who = call(1, 'who', {}, true);
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { ...POST, ...statelessHeaders(who), host: 'localhost' },
      body: JSON.stringify(who),
    });
    const answer = await app.fetch(request);
    expect(await answer.json()).toMatchObject({ result: { content: [{ text: 'bob' }] } });
    expect(seen.pop()).toBe(request);
    await handler.close();
  });
});

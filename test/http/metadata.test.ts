/** Protected resource metadata: where a server that has some shows it, to whom, and that nobody can change what it says. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Authenticate, protectedResource } from 'mcpp/auth/server';
import { nodeHandler, serveHttp } from 'mcpp/http';
import { serveWebSocket } from 'mcpp/websocket';
import { describe, expect, test } from 'vitest';
import { FACES, node } from './faces.ts';
import { makeStage } from './stage.ts';

const PATH = '/.well-known/oauth-protected-resource/mcp';
const ROOT = '/.well-known/oauth-protected-resource';
const metadata = { resource: 'https://mcp.example.com/mcp', authorization_servers: ['https://as.example.com'] };

/** Lets nobody in. */
const auth: Authenticate = Object.assign(() => ({ status: 401 as const }), {
  protectedResource: {
    metadataUrl: `https://mcp.example.com${PATH}`,
    metadata,
    insufficientScope: () => ({ status: 403 as const }),
  },
});

describe.each(FACES)('through $name, mounted at the root', ({ open }) => {
  test('everybody gets it, from whatever page, by whatever name the server has', async () => {
    const reached = await open(makeStage().server, { auth });
    for (const headers of [{}, { origin: 'https://evil.example' }, { host: 'evil.example' }]) {
      const answer = await reached.send({ method: 'GET', target: PATH, headers });
      expect([answer.status, await answer.json()]).toEqual([200, metadata]);
      expect(answer.header('content-type')).toBe('application/json');
      expect(answer.header('access-control-allow-origin')).toBe('*');
      expect(answer.header('cache-control')).toBe('public, max-age=300');
    }
    await reached.close();
  });

  test('nothing in it comes from the request', async () => {
    const reached = await open(makeStage().server, { auth });
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example',
    };
    const answer = await reached.send({ method: 'GET', target: `${PATH}?resource=https://evil.example`, headers });
    expect(await answer.text()).toBe(JSON.stringify(metadata));
    await reached.close();
  });

  test('HEAD gets its head, OPTIONS what a browser asks first, anything else 405', async () => {
    const reached = await open(makeStage().server, { auth });
    const head = await reached.send({ method: 'HEAD', target: PATH });
    expect([head.status, head.header('content-type'), await head.text()]).toEqual([200, 'application/json', '']);
    const preflight = await reached.send({
      method: 'OPTIONS',
      target: PATH,
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'mcp-protocol-version',
      },
    });
    expect([preflight.status, preflight.header('access-control-allow-origin')]).toEqual([204, '*']);
    expect(preflight.header('access-control-allow-methods')).toContain('GET');
    expect(preflight.header('access-control-allow-headers')).toBe('*, Authorization');
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await reached.send({ method, target: PATH });
      expect([method, answer.status, answer.header('allow')]).toEqual([method, 405, 'GET, HEAD, OPTIONS']);
      expect(answer.header('access-control-allow-origin')).toBe('*');
    }
    await reached.close();
  });

  test('it is there and nowhere else', async () => {
    const reached = await open(makeStage().server, { auth });
    for (const target of ['/', '/mcp', ROOT, `${PATH}/`, `${PATH}/more`, `/x${PATH}`, PATH.toUpperCase()]) {
      const answer = await reached.send({ method: 'GET', target, headers: { accept: 'application/json' } });
      expect([target, answer.status]).toEqual([target, 401]);
    }
    await reached.close();
  });

  test('"hosts" counts for it, too', async () => {
    const reached = await open(makeStage().server, { auth, hosts: ['mcp.example.com'] });
    const status = async (host: string): Promise<number> =>
      (await reached.send({ method: 'GET', target: PATH, headers: { host } })).status;
    expect(await status('mcp.example.com')).toBe(200);
    expect(await status('evil.example')).toBe(403);
    await reached.close();
  });

  test('without metadata there is none', async () => {
    const reached = await open(makeStage().server, { auth: () => ({ status: 401 }) });
    for (const target of [PATH, ROOT]) {
      expect((await reached.send({ method: 'GET', target })).status).toBe(401);
    }
    await reached.close();
  });
});

test('a handler for frameworks gives the same answers', async () => {
  const handler = protectedResource(auth);
  const reached = await node.open(makeStage().server, { auth });
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']) {
    const said = await reached.send({ method, target: PATH });
    const other = handler(new Request(`https://mcp.example.com${PATH}`, { method }));
    const fields = [...other.headers].filter(([name]) => name !== 'content-length');
    expect([method, said.status, await said.text()]).toEqual([method, other.status, await other.text()]);
    expect(fields.map(([name]) => [method, name, said.header(name)])).toEqual(
      fields.map(([name, value]) => [method, name, value]),
    );
    expect([method, fields.length]).toEqual([method, expect.toSatisfy((count: number) => count > 1)]);
  }
  await reached.close();
});

test('serveHttp owns its origin: it is at the path of the endpoint and at the root, and the rest is nothing', async () => {
  const { port, close } = await serveHttp(makeStage().server, { port: 0, auth });
  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);
  for (const path of [PATH, ROOT]) expect(await (await get(path)).json()).toEqual(metadata);
  expect((await get('/.well-known/oauth-protected-resource/other')).status).toBe(404);
  expect((await get('/.well-known/oauth-authorization-server')).status).toBe(404);
  expect((await get('/')).status).toBe(404);
  expect((await get('/mcp')).status).toBe(401);
  await close();
});

test('serveHttp without metadata has nothing there', async () => {
  const { port, close } = await serveHttp(makeStage().server, { port: 0 });
  expect((await fetch(`http://127.0.0.1:${port}${ROOT}`)).status).toBe(404);
  await close();
});

test('serveWebSocket shows it where the link of its 401 points', async () => {
  const { url, close } = await serveWebSocket(makeStage().server, { port: 0, auth });
  const { port } = new URL(url);
  for (const path of [PATH, ROOT]) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { origin: 'https://evil.example' } });
    expect([answer.status, await answer.json()]).toEqual([200, metadata]);
  }
  expect((await fetch(`http://127.0.0.1:${port}${PATH}`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`http://127.0.0.1:${port}/mcp`)).status).toBe(426);
  await close();
});

test('a handler that is mounted elsewhere is not asked for it', async () => {
  const handler = nodeHandler(makeStage().server, { auth });
  const http = createServer((request, response) => {
    // As Express does.
    Object.assign(request, { originalUrl: request.url, url: '/' });
    handler(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  expect((await fetch(`http://127.0.0.1:${port}/api/mcp`)).status).toBe(401);
  expect((await fetch(`http://127.0.0.1:${port}${PATH}`)).status).toBe(200);
  await handler.close();
  http.close();
});

test('metadata at a URL that is none is refused when the handler is made', () => {
  const protectedResource = { metadataUrl: '/mcp', metadata, insufficientScope: () => ({ status: 403 as const }) };
  const wrong = Object.assign(() => ({ status: 401 as const }), { protectedResource });
  expect(() => nodeHandler(makeStage().server, { auth: wrong })).toThrow(
    'auth: protectedResource.metadataUrl must be an absolute URL',
  );
});
